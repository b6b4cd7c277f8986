-- One HMAC for each entry of the audit log replaces seals over thousands of entries (docs/decisions/015-erasure-and-archives.md).
-- `mac` covers the entry and the id of the previous one; its key is not in the database. The server creates the HMACs of
-- existing entries once, after comparing each entry with its seal. Where it differs, `mac` is empty, and never verifies.
create table audit_chain (
  id bigint primary key,
  previous_id bigint not null,
  mac bytea not null
);
create trigger audit_chain_only_grows before update or delete or truncate on audit_chain
  for each statement execute function refuse_change();

-- Returns the content of an entry, independent of settings of the connection. A column that is added later is included
-- where it is not null, so that existing HMACs remain valid.
create function audit_entry(entry audit_log) returns jsonb language sql stable parallel safe as $$
  select jsonb_strip_nulls(to_jsonb(entry) - '{at,detail,search,salt,sealed_digest,erasure_mac}'::text[])
    || jsonb_build_object('at', to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'detail', entry.detail)
$$;

-- The archives of the log are listed with the other ones. The entries that remain follow `last_id`, which `mac` (an HMAC)
-- confirms; archives of version 1.0.0 have their HMAC in audit_archives.
alter table retention_archives add column last_id bigint, add column mac bytea;
insert into retention_archives (kind, number, row_count, file, archived_at, last_id)
  select 'activity', id, row_count, file, archived_at, to_id from audit_archives;

-- Deletes archived entries, which must be the oldest ones.
create function delete_archived_entries(ids bigint[]) returns void language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  last_id bigint := (select max(id) from unnest(ids) id);
  deleted bigint;
begin
  perform set_config('vestibule.change_of_log', 'by its functions', true);
  delete from audit_log where id = any(ids);
  get diagnostics deleted = row_count;
  if deleted <> cardinality(ids) or exists (select from audit_log where id < last_id) then
    raise exception 'The archive does not contain exactly the oldest entries.' using errcode = 'check_violation';
  end if;
  delete from audit_chain where id <= last_id;
  perform set_config('vestibule.change_of_log', '', true);
end $$;

-- Replaces personal data and the HMAC of the new content.
create function erase_audit_entries(entries jsonb) returns void language plpgsql security definer
  set search_path = public, pg_temp as $$
begin
  perform set_config('vestibule.change_of_log', 'by its functions', true);
  update audit_log as log set
    actor_label = entry.actor_label, target_label = entry.target_label, address = entry.address, detail = entry.detail,
    salt = null, sealed_digest = null, erasure_mac = null
  from jsonb_to_recordset(entries) as entry (id bigint, actor_label text, target_label text, address text, detail jsonb)
  where log.id = entry.id;
  update audit_chain as link set mac = entry.mac
  from jsonb_to_recordset(entries) as entry (id bigint, mac bytea) where link.id = entry.id;
  perform set_config('vestibule.change_of_log', '', true);
end $$;
revoke execute on function delete_archived_entries, erase_audit_entries from public;

-- Processes of version 1.0.0 that run during the update still add seals, but do not archive or erase entries: they would
-- not update the HMACs. Both actions are repeated by this version.
create or replace function record_audit_archive(archive audit_archives) returns void language plpgsql as $$
begin
  raise exception 'The log is archived by processes of the newer version.' using errcode = 'insufficient_privilege';
end $$;
create or replace function erase_in_audit_log(entries jsonb) returns bigint language plpgsql as $$
begin
  raise exception 'People are erased by processes of the newer version.' using errcode = 'insufficient_privilege';
end $$;
