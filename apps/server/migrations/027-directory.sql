-- Directory sync (SCIM): the company's directory says who may be inside. Whom it names is a row here, linked with the person as
-- soon as they are inside; whoever is not yet, is let in by an invitation like everybody else.

create table directory (
  one boolean primary key default true check (one),
  -- As whom the directory stands in the activity log.
  id uuid not null default gen_random_uuid(),
  is_on boolean not null default false,
  -- What becomes of whoever is new: invited by mail, or admitted silently, by an invitation that nobody is mailed.
  on_create text not null default 'invite' check (on_create in ('invite', 'admit')),
  token_hash bytea,
  token_made_at timestamptz,
  token_made_by text,
  -- Works beside the new one until its time is over.
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
  -- Deferred: the link is made while the person is being inserted.
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

-- Whoever comes in, by whatever way, is the one whom the directory means by the address. Whom it has switched off comes in
-- disabled. Waits for what the directory says of them at this moment.
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
