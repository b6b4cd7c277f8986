-- What administrators changed in Settings. Where there is no row, or no value in it, the environment decides.

create table settings (
  name text primary key,
  -- Null after a reset. The row stays, so that its version only ever grows.
  value jsonb,
  version integer not null,
  changed_at timestamptz not null,
  changed_by text not null
);

-- The picture itself; the setting 'logo' names it by its hash.
create table logos (
  hash text primary key,
  bytes bytea not null
);
