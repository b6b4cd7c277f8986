-- SCIM of organizations: the directory of an organization adds and removes its members, and changes nothing else.
create table organization_directories (
  organization_id uuid primary key references organizations (id) on delete cascade,
  -- Actor id of the directory in the audit log.
  id uuid not null,
  token_hash bytea unique,
  token_made_at timestamptz,
  token_made_by text,
  -- Accepted in addition to the new token until `earlier_token_until`.
  earlier_token_hash bytea unique,
  earlier_token_until timestamptz,
  last_used_at timestamptz,
  last_address text
);

create table organization_directory_users (
  id uuid primary key,
  organization_id uuid not null references organization_directories (organization_id) on delete cascade,
  user_name text not null,
  external_id text,
  email text not null,
  email_canonical text not null,
  -- The address is the user name, because the directory sends no address.
  email_follows boolean not null,
  display_name text,
  formatted_name text,
  given_name text,
  family_name text,
  active boolean not null,
  -- The member with this address; also after a manager has removed the membership.
  person_id uuid references people (id) on delete cascade,
  created_at timestamptz not null,
  modified_at timestamptz not null,
  version integer not null default 1
);
create unique index organization_directory_users_user_name on organization_directory_users (organization_id, lower(user_name));
create unique index organization_directory_users_email on organization_directory_users (organization_id, email_canonical);
create unique index organization_directory_users_person on organization_directory_users (person_id, organization_id);
create index organization_directory_users_external_id on organization_directory_users (organization_id, external_id);
create index organization_directory_users_order on organization_directory_users (organization_id, created_at, id);
create index organization_directory_users_address on organization_directory_users (email_canonical);

-- Links a new member, however they join, with the user of the organization's directory who has the same address.
create function link_organization_directory() returns trigger
  language plpgsql security definer set search_path from current as $$
begin
  update organization_directory_users listed set person_id = added.person_id, version = listed.version + 1
  from added join people on people.id = added.person_id
  where listed.organization_id = added.organization_id and listed.email_canonical = people.email_canonical
    and listed.person_id is null
    and not exists (select from organization_directory_users other
      where other.organization_id = added.organization_id and other.person_id = added.person_id);
  return null;
end $$;
create trigger memberships_in_directory after insert on memberships referencing new table as added
  for each statement execute function link_organization_directory();
