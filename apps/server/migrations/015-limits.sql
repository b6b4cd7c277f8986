-- How often somebody (or a network) has done something lately; counted here, so that all server processes share one limit
-- (platform/database/rate-limit.ts). A crash of the database forgets it, which harms nobody and makes counting cheap.
create unlogged table rate_limits (
  -- What is counted, and of whom.
  key text primary key,
  used integer not null,
  -- The end of the window: from then on counting begins anew, and the row may go.
  ends_at timestamptz not null
);
create index rate_limits_ends_at on rate_limits (ends_at);

-- A file that was deleted and can come back still takes its owner's room; else deleting, uploading and undoing would fill
-- twice as much. It is none of their files meanwhile.
-- Arguments: the condition on which a row is one of its owner's files, and how many files it is.
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
    -- In one order, so that no two wait for each other.
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

-- `writers`: the server processes that have written an upload. What another one wrote, it may still hold open.
-- `sealed`: all of it is there, and nobody begins to write it any more.
alter table attachment_uploads
  add column writers uuid[] not null default '{}',
  add column sealed boolean not null default false;
