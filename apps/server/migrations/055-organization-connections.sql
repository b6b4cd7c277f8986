-- Single sign-on of organizations: one OpenID Provider each, which signs in people with an address of its verified domains.
alter table organizations add column single_sign_on boolean not null default false;
create table organization_connections (
  organization_id uuid primary key references organizations (id) on delete cascade,
  -- Id of the sign-in method, in sessions, identities and addresses.
  way text not null constraint organization_connections_way unique,
  issuer text not null,
  client_id text not null,
  client_secret_sealed bytea not null,
  is_active boolean not null default false,
  is_required boolean not null default false,
  recovery_code_hash bytea,
  tested_at timestamptz,
  tested_as text,
  -- Incremented with each change of issuer, client id or secret.
  version integer not null default 1,
  created_at timestamptz not null,
  created_by text,
  check (is_active or not is_required),
  check (is_required = (recovery_code_hash is not null))
);

-- Sessions do not outlive the connection that started them, also if its organization is deleted.
create index sessions_of_connections on sessions (way) where way like 'org-%';
create function end_sessions_of_connection() returns trigger
  language plpgsql security definer set search_path from current as $$
begin
  delete from sessions where way = old.way and way like 'org-%';
  return null;
end $$;
create trigger organization_connections_removed after delete on organization_connections
  for each row execute function end_sessions_of_connection();
