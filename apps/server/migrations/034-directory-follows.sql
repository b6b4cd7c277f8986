-- Whether the address of somebody whom the directory names follows from their user name. Of those who were named before, nobody
-- knows; where both are the same it does, until the directory names one.
alter table directory_users add email_follows boolean not null default false;
update directory_users set email_follows = true where lower(btrim(user_name)) = lower(email);

-- A group is another one when somebody in it is gone, whoever removed them.
create function note_gone_members() returns trigger language plpgsql as $$
begin
  update directory_groups set version = version + 1, modified_at = greatest(modified_at, now())
    where id in (select group_id from gone);
  return null;
end $$;
create trigger directory_members_gone after delete on directory_members
  referencing old table as gone for each statement execute function note_gone_members();
