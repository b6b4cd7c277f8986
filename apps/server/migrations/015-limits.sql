-- Earlier checksum: 7fd492252bffe927bc619b3fdfcc05ec491a1274cf995cb4b86d51d6ed53d425
-- Rate limits per person or network, counted in the database so that all server processes share them
-- (platform/database/rate-limit.ts). Unlogged, because counting is frequent and losing the counts in a crash is harmless.
create unlogged table rate_limits (
  -- Name of the limit, and the person, network or other value whose uses are counted.
  key text primary key,
  used integer not null,
  -- End of the window. The next count starts another window, and the row may be deleted.
  ends_at timestamptz not null
);
create index rate_limits_ends_at on rate_limits (ends_at);

-- A deleted file that can be restored uses its owner's storage; otherwise deleting, uploading and undoing would double
-- the quota. It does not count as a file.
-- Arguments: the condition under which a row counts as a file of its owner, and the number of files per row.
create or replace function note_usage() returns trigger language plpgsql as $$
begin
  execute format($sql$
    insert into attachment_usage as usage (owner_id, bytes, files)
    select owner, sum(sign * bytes), sum(sign * files)
    from (%s) as changed, lateral (values
      (lpad(to_hex(pg_backend_pid() %% 64), 32, '0')::uuid, size, %s),
      (owner_id, size, case when %s then %2$s else 0 end)) as counted (owner, bytes, files)
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

lock table attachments in share mode;
update attachment_usage as usage set bytes = usage.bytes + gone.bytes
from (select owner_id, sum(size) as bytes from attachments where deleted_at is not null group by owner_id) as gone
where usage.owner_id = gone.owner_id;

-- `writers`: the server processes that have written to an upload, and may have its file open.
-- `sealed`: the upload is closed for writing.
alter table attachment_uploads
  add column writers uuid[] not null default '{}',
  add column sealed boolean not null default false;
