-- Access tokens of members that work in one organization only, with permissions instead of scopes.
alter table personal_tokens
  add column organization_id uuid references organizations (id) on delete cascade,
  add column permissions text[] not null default '{}';
create index personal_tokens_organization on personal_tokens (organization_id, created_at) where organization_id is not null;
