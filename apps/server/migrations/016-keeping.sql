-- Earlier checksum: 6a82ca54f6e3388fd08aade5aaedf15f655fb31ef580f2f5a2359f6fa2bda819
-- Retention and erasure: old rows of the audit log move to archive files, removed people can be erased, and the seals
-- still verify (docs/decisions/015-erasure-and-archives.md).

-- The digest of a row includes its salt. Erasure deletes the salt, so that the erased content cannot be guessed from
-- the digest. Rows from before this migration have no salt. An erased row has its original digest in `sealed_digest`,
-- and the server's HMAC over its new content in `erasure_mac`.
alter table audit_log add column salt uuid, add column sealed_digest bytea, add column erasure_mac bytea;
alter table audit_log alter column salt set default gen_random_uuid();

-- Returns the content of a row, independent of settings of the connection.
create function audit_content(entry audit_log) returns text language sql stable parallel safe
  return jsonb_build_array(entry.id, extract(epoch from entry.at), entry.action, entry.actor_id, entry.actor_label,
    entry.target_type, entry.target_id, entry.target_label, entry.address, entry.request_id, entry.detail)::text;
create function audit_digest(entry audit_log) returns bytea language sql stable parallel safe
  return sha256(convert_to(concat(entry.salt, audit_content(entry)), 'UTF8'));

-- Seals and their rows that were moved to a file. The remaining seals continue the newest archive. `mac` is an HMAC over
-- the columns and the previous archive.
create table audit_archives (
  id bigint primary key,
  from_seal bigint not null,
  to_seal bigint not null,
  from_id bigint not null,
  to_id bigint not null,
  row_count bigint not null,
  seal_mac bytea not null,
  mac bytea not null,
  file text not null,
  archived_at timestamptz not null
);

-- Allows changes by the two functions below, which run as the owner and with this setting. The owner's role could also
-- set it or drop the trigger; the seals reveal that.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if current_setting('vestibule.change_of_log', true) = 'by its functions' then
    return null;
  end if;
  raise exception 'The table % only grows: its rows are neither changed nor removed.', tg_table_name
    using errcode = 'insufficient_privilege';
end $$;
create trigger audit_archives_only_grow before update or delete or truncate on audit_archives
  for each statement execute function refuse_change();

-- Records an archive and deletes its rows, which must be those of complete seals that follow the previous archive.
create function record_audit_archive(archive audit_archives) returns void language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  previous audit_archives;
  gone bigint;
begin
  lock table audit_archives in share row exclusive mode;
  select * into previous from audit_archives order by id desc limit 1;
  if archive.id <> coalesce(previous.id, 0) + 1
    or archive.from_seal <> coalesce(previous.to_seal, 0) + 1
    or archive.from_id <> coalesce(previous.to_id, 0)
    or not exists (select from audit_seals
      where id = archive.to_seal and to_id = archive.to_id and mac = archive.seal_mac) then
    raise exception 'The archive does not go on where the one before ends.' using errcode = 'check_violation';
  end if;
  insert into audit_archives select archive.*;
  perform set_config('vestibule.change_of_log', 'by its functions', true);
  delete from audit_log where id > archive.from_id and id <= archive.to_id;
  get diagnostics gone = row_count;
  if gone <> archive.row_count then
    raise exception 'The archive has % entries, the log % of them.', archive.row_count, gone
      using errcode = 'check_violation';
  end if;
  delete from audit_seals where id between archive.from_seal and archive.to_seal;
  perform set_config('vestibule.change_of_log', '', true);
end $$;

-- Replaces personal data only. A sealed row keeps the digest in its seal. Returns the number of rows with the expected
-- digest.
create function erase_in_audit_log(entries jsonb) returns bigint language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  erased bigint;
begin
  perform set_config('vestibule.change_of_log', 'by its functions', true);
  update audit_log as log set
    actor_label = entry.actor_label, target_label = entry.target_label, address = entry.address, detail = entry.detail,
    salt = null, sealed_digest = entry.sealed_digest, erasure_mac = entry.erasure_mac
  from jsonb_to_recordset(entries) as entry (id bigint, actor_label text, target_label text, address text, detail jsonb,
    sealed_digest bytea, erasure_mac bytea)
  where log.id = entry.id and entry.sealed_digest = coalesce(log.sealed_digest, audit_digest(log));
  get diagnostics erased = row_count;
  perform set_config('vestibule.change_of_log', '', true);
  return erased;
end $$;
revoke execute on function record_audit_archive, erase_in_audit_log from public;

-- Archive files of old sign-ins (kind 'sign_ins') and finished invitations ('invitations').
create table keeping_archives (
  kind text not null,
  number bigint not null,
  row_count bigint not null,
  file text not null,
  archived_at timestamptz not null,
  primary key (kind, number)
);
create index sign_ins_at on sign_ins (at, id);

-- People who were removed but not erased. Administrators find them in this table. An erasure replaces the name and
-- address in all other data.
create table removed_people (
  id uuid primary key,
  email text not null,
  email_canonical text not null,
  display_name text not null,
  removed_at timestamptz not null,
  removed_by text not null,
  search text generated always as (lower(display_name || ' ' || email)) stored,
  email_folded text generated always as (lower(email)) stored,
  display_name_folded text generated always as (lower(display_name)) stored
);
create index removed_people_email on removed_people (email_folded, id);
create index removed_people_display_name on removed_people (display_name_folded, id);
create index removed_people_removed_at on removed_people (removed_at, id);
create index removed_people_email_canonical on removed_people (email_canonical);
create index removed_people_search on removed_people using gin (search gin_trgm_ops);

insert into removed_people (id, email, email_canonical, display_name, removed_at, removed_by)
select distinct on (target_id) target_id::uuid, target_label, lower(target_label),
  coalesce((select nullif(name, '') from invitations where email = target_label order by created_at desc limit 1), ''),
  at, actor_label
from audit_log
where action = 'person.removed' and not exists (select from people where id = target_id::uuid)
order by target_id, id desc;

-- Files of a removed owner are deleted at `delete_at`, unless they are transferred to another person before.
alter table attachments add column former_owner_id uuid, add column delete_at timestamptz;
create index attachments_delete_at on attachments (delete_at) where delete_at is not null;
create index attachments_former_owner on attachments (former_owner_id) where former_owner_id is not null;
