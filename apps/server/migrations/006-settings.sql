-- Earlier checksum: ed6a54f7b21494f8015311b8e0dd75d5cb55471baf3d2cc362948251b76accc0
-- Settings changed by administrators. Without a row or a value, the environment decides.

create table settings (
  name text primary key,
  -- Null after a reset. The row remains, so that its version never decreases.
  value jsonb,
  version integer not null,
  changed_at timestamptz not null,
  changed_by text not null
);

-- The image; the setting 'logo' refers to it by its hash.
create table logos (
  hash text primary key,
  bytes bytea not null
);
