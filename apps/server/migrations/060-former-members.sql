-- A file that was shared with everyone in an organization becomes private when its owner leaves the last organization. Otherwise, people
-- without an organization would see it.
create function hide_files_of_former_members() returns trigger
  language plpgsql security definer set search_path from current as $$
begin
  update attachments set sharing = 'nobody', version = version + 1
  where sharing = 'everyone' and owner_id in (select person_id from removed)
    and not exists (select from memberships where memberships.person_id = owner_id);
  return null;
end $$;
create trigger memberships_of_owners_removed after delete on memberships referencing old table as removed
  for each statement execute function hide_files_of_former_members();
