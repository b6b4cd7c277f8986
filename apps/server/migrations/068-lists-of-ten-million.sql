-- Members of an organization sorted by name or address: without these copies and indexes, a page of an organization with 100,000
-- members reads the rows of all of them from 10 million people.
alter table memberships add column person_name_folded text, add column person_email_folded text;

-- Locks the person: a concurrent change of the name or the address waits, and then changes this membership too.
create function copy_person_to_membership() returns trigger
  language plpgsql security definer set search_path from current as $$
begin
  select display_name_folded, email_folded into new.person_name_folded, new.person_email_folded
  from people where id = new.person_id for share;
  return new;
end $$;
create trigger memberships_copy_person before insert on memberships
  for each row execute function copy_person_to_membership();

create function copy_person_to_memberships() returns trigger
  language plpgsql security definer set search_path from current as $$
begin
  update memberships set person_name_folded = new.display_name_folded, person_email_folded = new.email_folded
  where person_id = new.id;
  return null;
end $$;
create trigger people_copied_to_memberships after update of display_name, email on people
  for each row when ((old.display_name, old.email) is distinct from (new.display_name, new.email))
  execute function copy_person_to_memberships();

update memberships set person_name_folded = display_name_folded, person_email_folded = email_folded
from people where people.id = person_id;
create index memberships_display_name on memberships (organization_id, person_name_folded collate alphabetical, person_id);
create index memberships_email on memberships (organization_id, person_email_folded collate alphabetical, person_id);

-- "Is empty" in the activity log, with the condition of the filter. Few entries have an empty value.
create index audit_log_without_actor on audit_log (at, id) where actor_label = '' or actor_label is null;
create index audit_log_without_target on audit_log (at, id) where target_label = '' or target_label is null;
create index audit_log_without_address on audit_log (at, id) where address = '' or address is null;
