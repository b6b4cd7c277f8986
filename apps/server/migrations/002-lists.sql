-- Earlier checksum: 79db887b283f3a8007bf6e07b791e8116f81b5e04ddb61d79a13f67e24d346c0
-- Views and column layouts of lists, and a counter of changes that are not in the audit log.

-- A view is a stored configuration of a grid: columns, order, filters. Private views are deleted with their owner, shared
-- ones remain.
create table grid_views (
  id uuid primary key,
  grid text not null check (grid in ('people', 'invitations', 'activity')),
  name text not null,
  shared boolean not null,
  owner_id uuid not null,
  owner_label text not null,
  private_to uuid generated always as (case when shared then null else owner_id end) stored
    references people (id) on delete cascade,
  -- JSON as the browser wrote it; the database does not read it.
  state text not null,
  updated_at timestamptz not null
);
create unique index grid_views_name on grid_views (owner_id, grid, lower(name));
create index grid_views_private_to on grid_views (private_to);
create index grid_views_shared on grid_views (grid) where shared;

-- Last column layout of each person.
create table grid_states (
  person_id uuid not null references people (id) on delete cascade,
  grid text not null check (grid in ('people', 'invitations', 'activity')),
  state text not null,
  primary key (person_id, grid)
);

-- Allows an index-only scan for the counts by displayed status.
create index invitations_shown_status on invitations (status, expires_at, opened_at);

-- For `contains` filters of columns that are not part of `search`.
create index people_invited_by_words on people using gin (invited_by gin_trgm_ops);
create index invitations_created_by_words on invitations using gin (created_by gin_trgm_ops);

-- Counts changes of invitations that have no entry in the audit log: mails and opened links. A sequence takes no row
-- lock.
create sequence invitation_changes;
create function note_invitation_change() returns trigger language plpgsql as $$
begin
  perform nextval('invitation_changes');
  return null;
end $$;
create trigger invitations_changed after update of mail_state, opened_at on invitations
  for each statement execute function note_invitation_change();
