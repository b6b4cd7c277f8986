-- Earlier checksum: 027b14454f8a0260cadb11c8f645039e70a03239e86c12d2968d55159829e72b
-- True if the address of a directory user is the user name, because the directory sends no address. For existing rows,
-- this is unknown; it is assumed if both are equal, until the directory sends an address.
alter table directory_users add email_follows boolean not null default false;
update directory_users set email_follows = true where lower(btrim(user_name)) = lower(email);

-- Updates the version of a group after members were deleted, by any statement.
create function note_gone_members() returns trigger language plpgsql as $$
begin
  update directory_groups set version = version + 1, modified_at = greatest(modified_at, now())
    where id in (select group_id from gone);
  return null;
end $$;
create trigger directory_members_gone after delete on directory_members
  referencing old table as gone for each statement execute function note_gone_members();
