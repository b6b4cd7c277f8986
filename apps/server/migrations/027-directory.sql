-- Earlier checksum: ce448b6379556ac195cab5b79a5d36eeb1fe20377393db0d32a1dd53d3263ba5
-- SCIM: the company's directory decides who has access. Each of its users has a row, linked with the person after the
-- first sign-in. Until then, an invitation admits the user.

create table directory (
  one boolean primary key default true check (one),
  -- Actor id of the directory in the audit log.
  id uuid not null default gen_random_uuid(),
  is_on boolean not null default false,
  -- New users: 'invite' sends an invitation by mail, 'admit' creates one without a mail.
  on_create text not null default 'invite' check (on_create in ('invite', 'admit')),
  token_hash bytea,
  token_made_at timestamptz,
  token_made_by text,
  -- Accepted in addition to the new token until `earlier_token_until`.
  earlier_token_hash bytea,
  earlier_token_until timestamptz,
  last_used_at timestamptz,
  last_address text
);
insert into directory default values;

create table directory_users (
  id uuid primary key,
  user_name text not null,
  external_id text,
  email text not null,
  email_canonical text not null,
  display_name text,
  formatted_name text,
  given_name text,
  family_name text,
  active boolean not null,
  -- Deferred: a trigger sets it before the person is inserted.
  person_id uuid unique references people on delete cascade deferrable initially deferred,
  created_at timestamptz not null,
  modified_at timestamptz not null,
  version integer not null default 1
);
create unique index directory_users_user_name on directory_users (lower(user_name));
create unique index directory_users_email on directory_users (email_canonical);
create index directory_users_external_id on directory_users (external_id);
create index directory_users_order on directory_users (created_at, id);

create table directory_groups (
  id uuid primary key,
  display_name text not null,
  external_id text,
  gives_administrator boolean not null default false,
  created_at timestamptz not null,
  modified_at timestamptz not null,
  version integer not null default 1
);
create unique index directory_groups_display_name on directory_groups (lower(display_name));
create index directory_groups_order on directory_groups (created_at, id);

create table directory_members (
  group_id uuid not null references directory_groups on delete cascade,
  user_id uuid not null references directory_users on delete cascade,
  primary key (group_id, user_id)
);
create index directory_members_user on directory_members (user_id);

-- Links a new person, whatever the sign-in method, with the directory user of the same address. A user whom the directory
-- has disabled becomes a disabled person. Waits for concurrent changes of the directory user.
create function meet_directory() returns trigger language plpgsql as $$
declare
  is_active boolean;
begin
  update directory_users set person_id = new.id, version = version + 1
    where email_canonical = new.email_canonical and person_id is null returning active into is_active;
  if not is_active then
    new.status := 'disabled';
  end if;
  return new;
end $$;
create trigger people_meet_directory before insert on people for each row execute function meet_directory();
