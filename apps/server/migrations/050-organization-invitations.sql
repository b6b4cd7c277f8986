-- Invitations to organizations. An address can have one pending invitation to the site and one to each organization.
alter table invitations
  add column organization_id uuid,
  -- Null in an invitation to an organization: the role was deleted, and the built-in role `member` is given.
  add column organization_role_id text,
  add column created_by_id uuid;
-- Not validated: the new columns are empty in existing rows.
alter table invitations
  add constraint invitations_organization foreign key (organization_id) references organizations (id) on delete set null not valid,
  add constraint invitations_organization_role foreign key (organization_role_id) references organization_roles (id)
    on delete set null not valid;
create index invitations_in_organization on invitations (organization_id, created_at, id) where organization_id is not null;
create unique index invitations_one_pending_per_organization on invitations (email_canonical, organization_id) nulls not distinct
  where status = 'pending';

alter table invitation_batches add column organization_id uuid references organizations (id) on delete set null;

-- Version 1.0.0 needs the index invitations_one_pending for its statement `on conflict`. It is dropped with the first organization,
-- because it allows only one pending invitation to an address.
create function drop_index_of_single_invitations() returns trigger
  language plpgsql security definer set search_path from current set lock_timeout = '3s' as $$
begin
  if to_regclass('invitations_one_pending') is not null then
    drop index invitations_one_pending;
  end if;
  return null;
end $$;
create trigger organizations_first after insert on organizations
  for each statement execute function drop_index_of_single_invitations();
do $$
begin
  if exists (select from organizations) then
    drop index invitations_one_pending;
  end if;
end $$;
