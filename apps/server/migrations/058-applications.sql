-- Protected applications: web applications behind a reverse proxy that asks this site for each request.
create table applications (
  id uuid primary key,
  name text not null,
  -- Origin (RFC 6454), such as https://wiki.example.com, in lower case and without the default port.
  address text not null,
  -- Host name without the port. Unique, because cookies do not distinguish ports.
  host text not null constraint applications_host unique,
  icon bytea,
  icon_type text,
  icon_hash text,
  created_at timestamptz not null,
  created_by text not null,
  version integer not null default 1
);
create unique index applications_address on applications (address);

-- Users who match one row may open the application.
create table application_access (
  application_id uuid not null references applications (id) on delete cascade,
  position integer not null,
  kind text not null check (kind in ('everyone', 'siteRole', 'organization', 'group', 'person')),
  site_role text,
  -- Null in rows of `organization`: any organization, or any role.
  organization_id uuid references organizations (id) on delete cascade,
  role_id text references organization_roles (id) on delete cascade,
  group_id uuid references directory_groups (id) on delete cascade,
  person_id uuid references people (id) on delete cascade,
  primary key (application_id, position)
);
create index application_access_organization on application_access (organization_id) where organization_id is not null;
create index application_access_role on application_access (role_id) where role_id is not null;
create index application_access_group on application_access (group_id) where group_id is not null;
create index application_access_person on application_access (person_id) where person_id is not null;

-- Single-use codes that give a browser access on the host of an application.
create table application_codes (
  code_hash bytea primary key,
  application_id uuid not null references applications (id) on delete cascade,
  session_id uuid not null references sessions (id) on delete cascade,
  -- SHA-256 of a secret in a cookie of the browser on the host of the application.
  browser_hash bytea not null,
  return_path text not null,
  expires_at timestamptz not null
);
create index application_codes_session on application_codes (session_id);
create index application_codes_expires_at on application_codes (expires_at);

-- Sign-ins at applications. They end with the session.
create table application_sessions (
  -- HMAC of the cookie's value.
  id_hash bytea primary key,
  application_id uuid not null references applications (id) on delete cascade,
  session_id uuid not null references sessions (id) on delete cascade,
  created_at timestamptz not null
);
create index application_sessions_session on application_sessions (session_id, application_id);
create index application_sessions_application on application_sessions (application_id);
create index application_codes_application on application_codes (application_id);
