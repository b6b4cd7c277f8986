-- Earlier checksum: 5a8cb3682c46aceccad1cadd10fba6880b990fa9ba3fd39c7b24fb5a25dab00d
-- Attachments: files that people store and share. The contents are in the storage, under the row's id.

create table attachments (
  id uuid primary key,
  -- Null after the owner was removed. Name and address remain, for the people with whom the file is shared.
  owner_id uuid references people (id) on delete set null,
  owner_name text not null,
  owner_email text not null,
  name text not null,
  -- Set by the server: the declared type, unless the first bytes contradict it.
  type text not null,
  kind text not null check (kind in ('picture', 'pdf', 'text', 'audio', 'video', 'other')),
  size bigint not null check (size >= 0),
  sha256 bytea not null,
  sharing text not null default 'nobody' check (sharing in ('nobody', 'everyone', 'people')),
  shared_count integer not null default 0,
  status text not null check (status in ('ready', 'scanning', 'quarantined', 'missing')),
  virus text,
  created_at timestamptz not null,
  -- Time of the last comparison of the contents with their SHA-256.
  verified_at timestamptz not null,
  version integer not null default 1,
  -- All files of one deletion have its id. The clean-up deletes contents and row some minutes later.
  deletion_id uuid,
  deleted_at timestamptz,
  deleted_by uuid,
  search text generated always as (lower(name || ' ' || owner_name || ' ' || owner_email)) stored,
  name_folded text generated always as (lower(name)) stored,
  owner_name_folded text generated always as (lower(owner_name)) stored,
  owner_email_folded text generated always as (lower(owner_email)) stored,
  check ((deletion_id is null) = (deleted_at is null))
);

-- Lists read this view, so that none includes deleted files.
create view kept_attachments as select * from attachments where deleted_at is null;

create index attachments_created_at on attachments (created_at, id) where deleted_at is null;
create index attachments_name on attachments (name_folded, id) where deleted_at is null;
create index attachments_type on attachments (type, id) where deleted_at is null;
create index attachments_kind on attachments (kind, id) where deleted_at is null;
create index attachments_size on attachments (size, id) where deleted_at is null;
create index attachments_owner_name on attachments (owner_name_folded, id) where deleted_at is null;
create index attachments_owner_email on attachments (owner_email_folded, id) where deleted_at is null;
create index attachments_sharing on attachments (sharing, id) where deleted_at is null;
create index attachments_status on attachments (status, id) where deleted_at is null;
create index attachments_owner on attachments (owner_id);
create index attachments_search on attachments using gin (search gin_trgm_ops);
create index attachments_deletion on attachments (deletion_id) where deletion_id is not null;
create index attachments_deleted_at on attachments (deleted_at) where deleted_at is not null;
create index attachments_scanning on attachments (created_at) where status = 'scanning';

create index attachments_for_everyone on attachments (id) where deleted_at is null and sharing = 'everyone';

create table attachment_shares (
  attachment_id uuid not null references attachments (id) on delete cascade,
  person_id uuid not null references people (id) on delete cascade,
  shared_at timestamptz not null,
  primary key (attachment_id, person_id)
);
create index attachment_shares_person on attachment_shares (person_id, attachment_id);

-- Updates the counts and sharing of files when shares are deleted, for example those of a removed person.
create function note_shares_gone() returns trigger language plpgsql as $$
begin
  update attachments set shared_count = shared_count - gone.times,
    sharing = case when sharing = 'people' and shared_count = gone.times then 'nobody' else sharing end
  from (select attachment_id, count(*) as times from gone_shares group by attachment_id) as gone
  where id = gone.attachment_id;
  return null;
end $$;
create trigger attachment_shares_gone after delete on attachment_shares
  referencing old table as gone_shares for each statement execute function note_shares_gone();

-- Incomplete uploads. A row is deleted when the file is complete, the upload is canceled, or no data has arrived for a
-- day.
create table attachment_uploads (
  id uuid primary key,
  owner_id uuid references people (id) on delete set null,
  name text not null,
  declared_type text not null,
  declared_sha256 bytea,
  size bigint not null check (size >= 0),
  received bigint not null default 0,
  created_at timestamptz not null,
  touched_at timestamptz not null
);
create index attachment_uploads_owner on attachment_uploads (owner_id, created_at);
create index attachment_uploads_touched_at on attachment_uploads (touched_at);

-- Files attached to an invitation. They are shared with the person who redeems it.
create table invitation_attachments (
  invitation_id uuid not null references invitations (id) on delete cascade,
  attachment_id uuid not null references attachments (id) on delete cascade,
  primary key (invitation_id, attachment_id)
);
create index invitation_attachments_attachment on invitation_attachments (attachment_id);

-- Files selected for one ZIP, while its link is valid.
create table attachment_bundles (
  id uuid primary key,
  attachment_ids uuid[] not null,
  expires_at timestamptz not null
);
create index attachment_bundles_expires_at on attachment_bundles (expires_at);

-- Storage used by each owner and in total, so that the quota check before an upload reads few rows. An owner's row
-- includes files and uploads; the total also includes deleted files that can be restored. The total is the sum of 64 rows
-- with the ids 0 to 63: each connection adds to one of them, so that uploads do not wait for each other.
create table attachment_usage (
  owner_id uuid primary key,
  bytes bigint not null,
  files bigint not null
);

-- Arguments: the condition under which a row counts for its owner, and the number of files per row.
create function note_usage() returns trigger language plpgsql as $$
begin
  execute format($sql$
    insert into attachment_usage as usage (owner_id, bytes, files)
    select owner, sum(sign * bytes), sum(sign * files)
    from (%s) as changed, lateral (values
      (lpad(to_hex(pg_backend_pid() %% 64), 32, '0')::uuid, size, %s),
      (case when %s then owner_id end, size, %2$s)) as counted (owner, bytes, files)
    where owner is not null
    group by owner having sum(sign * bytes) <> 0 or sum(sign * files) <> 0
    -- Ordered, to avoid deadlocks.
    order by owner
    on conflict (owner_id) do update set bytes = usage.bytes + excluded.bytes, files = usage.files + excluded.files
  $sql$, case tg_op
    when 'INSERT' then 'select 1 as sign, * from new_rows'
    when 'DELETE' then 'select -1 as sign, * from old_rows'
    else 'select 1 as sign, * from new_rows union all select -1, * from old_rows' end,
    tg_argv[1], tg_argv[0]);
  return null;
end $$;

create trigger attachments_added after insert on attachments referencing new table as new_rows
  for each statement execute function note_usage('deleted_at is null', '1');
create trigger attachments_changed after update on attachments referencing old table as old_rows new table as new_rows
  for each statement execute function note_usage('deleted_at is null', '1');
create trigger attachments_gone after delete on attachments referencing old table as old_rows
  for each statement execute function note_usage('deleted_at is null', '1');
create trigger attachment_uploads_added after insert on attachment_uploads referencing new table as new_rows
  for each statement execute function note_usage('true', '0');
create trigger attachment_uploads_changed after update on attachment_uploads referencing old table as old_rows new table as new_rows
  for each statement execute function note_usage('true', '0');
create trigger attachment_uploads_gone after delete on attachment_uploads referencing old table as old_rows
  for each statement execute function note_usage('true', '0');
