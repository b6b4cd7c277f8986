-- Organizations with memberships and roles. A role is a set of permissions; the built-in roles have none stored, because the code
-- defines theirs.
create table organizations (
  id uuid primary key,
  name text not null,
  slug text not null constraint organizations_slug unique,
  status text not null default 'active' check (status in ('active', 'suspended')),
  seat_limit integer check (seat_limit > 0),
  expires_at timestamptz,
  -- Maintained by the trigger of memberships.
  member_count integer not null default 0,
  manager_count integer not null default 0,
  created_at timestamptz not null,
  created_by text,
  version integer not null default 1,
  name_folded text not null generated always as (lower(name)) stored,
  search text not null generated always as (lower(name) || ' ' || slug) stored
) with (fillfactor = 80);
create index organizations_name on organizations (name_folded collate alphabetical, id);
create index organizations_slug_id on organizations (slug, id);
create index organizations_status on organizations (status, id);
create index organizations_seat_limit on organizations (seat_limit, id);
create index organizations_expires_at on organizations (expires_at, id);
create index organizations_member_count on organizations (member_count, id);
create index organizations_created_at on organizations (created_at, id);
create index organizations_created_by on organizations (created_by, id);
create index organizations_search on organizations using gin (search gin_trgm_ops);
create index organizations_without_manager on organizations (id) where manager_count = 0;

create table organization_roles (
  -- `manager`, `member`, or a UUID.
  id text primary key,
  name text constraint organization_roles_name unique,
  permissions text[] not null default '{}',
  created_at timestamptz not null default now()
);
insert into organization_roles (id) values ('manager'), ('member');

create table memberships (
  organization_id uuid not null references organizations (id) on delete cascade,
  person_id uuid not null references people (id) on delete cascade,
  role_id text not null constraint memberships_role references organization_roles (id),
  joined_at timestamptz not null,
  added_by text,
  primary key (organization_id, person_id)
);
create index memberships_person on memberships (person_id);
create index memberships_role on memberships (role_id);

-- Counts members and managers, and enforces the seat limit: the row of the organization is locked until the transaction ends, so
-- concurrent inserts cannot exceed it.
create function count_memberships() returns trigger
  language plpgsql security definer set search_path from current as $$
declare
  is_full boolean;
begin
  if tg_op = 'INSERT' then
    with changed as (
      select organization_id, count(*) as members, count(*) filter (where role_id = 'manager') as managers
      from added group by organization_id),
    counted as (
      update organizations set member_count = member_count + members, manager_count = manager_count + managers
      from (select * from changed order by organization_id) changed where id = organization_id
      returning member_count > seat_limit as is_over)
    select bool_or(is_over) into is_full from counted;
    if is_full then
      raise exception 'the organization is full' using errcode = 'check_violation', constraint = 'memberships_seat_limit';
    end if;
  elsif tg_op = 'DELETE' then
    update organizations set member_count = member_count - members, manager_count = manager_count - managers
    from (select organization_id, count(*) as members, count(*) filter (where role_id = 'manager') as managers
          from removed group by organization_id order by organization_id) changed
    where id = organization_id;
  else
    update organizations set manager_count = manager_count + managers
    from (select organization_id, sum(change) as managers
          from (select organization_id, 1 as change from added where role_id = 'manager'
                union all select organization_id, -1 from removed where role_id = 'manager') changes
          group by organization_id order by organization_id) changed
    where id = organization_id and managers <> 0;
  end if;
  return null;
end $$;
create trigger memberships_added after insert on memberships referencing new table as added
  for each statement execute function count_memberships();
create trigger memberships_removed after delete on memberships referencing old table as removed
  for each statement execute function count_memberships();
create trigger memberships_changed after update on memberships referencing old table as removed new table as added
  for each statement execute function count_memberships();
