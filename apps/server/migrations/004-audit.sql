-- Earlier checksum: a9bde869fa8b495303c2470c4e62945628339f559b8d13abd85e90a02833a6b3
-- An append-only audit log with seals, and the sign-ins of people.

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'The table % only grows: its rows are neither changed nor removed.', tg_table_name
    using errcode = 'insufficient_privilege';
end $$;

create trigger audit_log_only_grows before update or delete or truncate on audit_log
  for each statement execute function refuse_change();

create index if not exists audit_log_actor on audit_log (actor_id, id);
create index if not exists audit_log_search on audit_log using gin (search gin_trgm_ops);

-- A seal covers the rows after the previous seal up to `to_id`. `rows` has 40 bytes per row: the id (int8, big-endian)
-- and the SHA-256 of the row's content. `mac` is an HMAC over them and the previous seal; its key is not in the database.
create table audit_seals (
  id bigint primary key,
  from_id bigint not null,
  to_id bigint not null,
  row_count integer not null,
  rows bytea not null,
  mac bytea not null,
  sealed_at timestamptz not null
);
alter table audit_seals alter column rows set storage external;
create trigger audit_seals_only_grow before update or delete or truncate on audit_seals
  for each statement execute function refuse_change();

-- Incremented by each change that an administrator makes. A change based on an outdated version is refused.
alter table people add column version integer not null default 1;
alter table people add column last_sign_in_at timestamptz;
create index people_last_sign_in_at on people (last_sign_in_at, id);
create index people_invited_by on people (invited_by, id);

-- Times, network addresses and browsers of sign-ins. `session` distinguishes the sign-ins of a person; the newest 50 are
-- stored.
create table sign_ins (
  id bigint generated always as identity primary key,
  person_id uuid not null references people (id) on delete cascade,
  session text not null,
  at timestamptz not null,
  address text not null,
  user_agent text not null,
  unique (person_id, session)
);
create index sign_ins_person on sign_ins (person_id, at desc);
