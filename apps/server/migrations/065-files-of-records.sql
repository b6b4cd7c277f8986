-- Files on a record of an extension, such as a ticket. Such a file belongs to the organization of the record; its owner is the person who
-- added it, who has no rights by that.

alter table attachments
  -- Null for a file of a person, and for a deleted file of a record.
  add column organization_id uuid references organizations (id) on delete set null,
  -- Name in `files` of the extension.
  add column record_type text,
  add column record_id uuid,
  add constraint attachments_record check (
    (record_type is null) = (record_id is null) and (organization_id is null or record_id is not null)
    and (organization_id is not null or record_id is null or deleted_at is not null)
    and (record_id is null or delete_at is null));
create index attachments_record on attachments (organization_id, record_type, record_id) where organization_id is not null;

-- Without statistics, the planner would expect few rows with record_id null.
analyze attachments (organization_id, record_type, record_id);

-- Lists of people's files.
drop view kept_attachments;
create view kept_attachments as select * from attachments where deleted_at is null and record_id is null;

-- A file without its organization is deleted: the organization, the record or the file was deleted. The clean-up then deletes the contents.
create function delete_file_of_record() returns trigger language plpgsql as $$
begin
  new.deleted_at := coalesce(new.deleted_at, now());
  new.deletion_id := coalesce(new.deletion_id, gen_random_uuid());
  new.version := new.version + 1;
  return new;
end $$;
create trigger attachments_of_record_gone before update of organization_id on attachments
  for each row when (old.organization_id is not null and new.organization_id is null)
  execute function delete_file_of_record();

-- For the table of an extension whose records have files. The argument is the type of the record.
create function delete_files_of_records() returns trigger language plpgsql as $$
begin
  update attachments set organization_id = null
  from gone_records as gone
  where attachments.organization_id = gone.organization_id and record_type = tg_argv[0] and record_id = gone.id;
  return null;
end $$;
