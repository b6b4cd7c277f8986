create table tickets (
  id uuid primary key,
  organization_id uuid not null references organizations (id) on delete cascade,
  author_id uuid references people (id) on delete set null,
  subject text not null,
  description text not null,
  status text not null default 'open' check (status in ('open', 'closed')),
  opened_at timestamptz not null,
  search text generated always as (lower(subject)) stored
);
create index tickets_search on tickets using gin (search gin_trgm_ops);
-- For searches without accents: `cafe` finds Café.
create index tickets_search_without_accents on tickets
  using gin (without_accents(search) gin_trgm_ops) where (octet_length(search) <> length(search)) is true;
create index tickets_organization on tickets (organization_id);
create index tickets_author on tickets (author_id);
