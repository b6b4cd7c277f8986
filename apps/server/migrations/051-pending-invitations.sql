-- An address can have one pending invitation to the site and one to each organization. This is a separate migration, because each of the
-- two locks the table for half a second at a million invitations.
create unique index invitations_one_pending_per_organization on invitations (email_canonical, organization_id) nulls not distinct
  where status = 'pending';

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
