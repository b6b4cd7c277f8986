-- Requests to join an organization by the verified domain of an address.
create table membership_requests (
  id uuid primary key,
  organization_id uuid not null references organizations (id) on delete cascade,
  -- Null for an address without an account.
  person_id uuid references people (id) on delete cascade,
  email text not null,
  email_canonical text not null,
  display_name text not null,
  -- `declined` also for removed members, so that they cannot return by their address.
  status text not null default 'pending' check (status in ('pending', 'declined')),
  requested_at timestamptz not null,
  decided_at timestamptz,
  constraint membership_requests_address unique (organization_id, email_canonical)
);
create index membership_requests_pending on membership_requests (organization_id, requested_at, id) where status = 'pending';
create index membership_requests_person on membership_requests (person_id);
create index membership_requests_requested_at on membership_requests (requested_at) where status = 'pending' or person_id is null;

-- Not validated: existing rows have one of the first two values.
alter table organization_domains drop constraint organization_domains_enrolment_check;
alter table organization_domains add constraint organization_domains_enrolment_check
  check (enrolment in ('invitation', 'request', 'automatic')) not valid;
