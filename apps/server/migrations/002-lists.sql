-- Lists: views that administrators keep, and what tells of changes that are not in the audit log.

-- A view is how a grid is looked at: columns, order, filters. A private one goes when its owner is removed, a shared one stays.
create table grid_views (
  id uuid primary key,
  grid text not null check (grid in ('people', 'invitations', 'activity')),
  name text not null,
  shared boolean not null,
  owner_id uuid not null,
  owner_label text not null,
  private_to uuid generated always as (case when shared then null else owner_id end) stored
    references people (id) on delete cascade,
  -- JSON as the browser wrote it; nothing in here is read by the database.
  state text not null,
  updated_at timestamptz not null
);
create unique index grid_views_name on grid_views (owner_id, grid, lower(name));
create index grid_views_private_to on grid_views (private_to);
create index grid_views_shared on grid_views (grid) where shared;

-- How a person left a grid's columns.
create table grid_states (
  person_id uuid not null references people (id) on delete cascade,
  grid text not null check (grid in ('people', 'invitations', 'activity')),
  state text not null,
  primary key (person_id, grid)
);

-- Counting by the status that is shown reads this index alone.
create index invitations_shown_status on invitations (status, expires_at, opened_at);

-- What "contains" asks of texts that are not in the column `search`.
create index people_invited_by_words on people using gin (invited_by gin_trgm_ops);
create index invitations_created_by_words on invitations using gin (created_by gin_trgm_ops);

-- Mails and openings of links change invitations without an entry in the audit log. This counts them, without a row that
-- they would wait for.
create sequence invitation_changes;
create function note_invitation_change() returns trigger language plpgsql as $$
begin
  perform nextval('invitation_changes');
  return null;
end $$;
create trigger invitations_changed after update of mail_state, opened_at on invitations
  for each statement execute function note_invitation_change();
