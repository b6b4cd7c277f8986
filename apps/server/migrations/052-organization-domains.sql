-- Domains of organizations, proven by a DNS record that contains the token.
create table organization_domains (
  organization_id uuid not null references organizations (id) on delete cascade,
  -- A-label in lower case.
  domain text not null,
  state text not null default 'pending' check (state in ('pending', 'verified', 'failing')),
  token uuid not null,
  enrolment text not null default 'invitation' check (enrolment in ('invitation', 'automatic')),
  role_id text not null default 'member' references organization_roles (id) on delete set default,
  created_at timestamptz not null,
  created_by text,
  verified_at timestamptz,
  failing_since timestamptz,
  checked_at timestamptz,
  check_due_at timestamptz,
  primary key (organization_id, domain)
);
-- A proven domain belongs to one organization.
create unique index organization_domains_proven on organization_domains (domain) where state <> 'pending';
create index organization_domains_due on organization_domains (check_due_at) where state <> 'pending';
