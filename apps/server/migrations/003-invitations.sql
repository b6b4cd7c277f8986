-- Earlier checksum: 023b6f5a1bf3a2d225b7858e747e5deebb34966a0277367234f072c23d5c845a
-- Batches of invitations, renewal, repeated mails, and events of an invitation.

create table invitation_batches (
  id uuid primary key,
  created_at timestamptz not null,
  created_by_id uuid not null,
  created_by text not null,
  -- Idempotency key of the request, and a hash of its body. A repeated request gets the same response.
  idempotency_key text not null,
  request_hash bytea not null,
  created integer not null default 0,
  sent_again integer not null default 0,
  skipped integer not null default 0,
  undone_at timestamptz
);
create unique index invitation_batches_key on invitation_batches (created_by_id, idempotency_key);
create index invitation_batches_created_at on invitation_batches (created_at, id);

alter table invitations
  add column language text not null default 'en' check (language in ('en', 'de')),
  -- Chosen by the inviter. A renewal uses the same lifetime.
  add column lifetime_days integer check (lifetime_days between 1 and 90),
  add column batch_id uuid references invitation_batches (id),
  -- The code is derived from id and version: a new version has another code.
  add column code_version integer not null default 0,
  -- Number of the current mail. Jobs of earlier mails are skipped.
  add column mail_number integer not null default 1,
  add column mailed_at timestamptz,
  -- Times of the last three repeated mails and of the last three new links, for rate limits.
  add column sent_again_at timestamptz[] not null default '{}',
  add column new_link_at timestamptz[] not null default '{}',
  add column reminded_at timestamptz;
create index invitations_created_by on invitations (created_by, id);
create index invitations_opened_at on invitations (opened_at, id);
create index invitations_batch on invitations (batch_id) where batch_id is not null;

-- Codes that a renewal replaced. However old it is, such a code is reported as expired and can be used to request a new
-- link.
create table replaced_codes (
  code_hash bytea primary key,
  invitation_id uuid not null references invitations (id) on delete cascade
);

-- Events other than the changes by signed-in users, which audit_log records. Equal events of a day share a row with a
-- counter, so that opening a link a million times adds one row.
create table invitation_events (
  invitation_id uuid not null references invitations (id) on delete cascade,
  kind text not null check (kind in ('mailed', 'mail_failed', 'opened', 'token_issued', 'cancelled', 'refused')),
  -- Detail of the event: 'person' or 'scanner' for 'opened', the number of the mail for 'mailed' and 'mail_failed', and
  -- the reason for 'refused'.
  about text not null default '',
  day date not null,
  at timestamptz not null,
  last_at timestamptz not null,
  times integer not null default 1,
  note text,
  primary key (invitation_id, kind, about, day)
);

-- Returns the same text for addresses that look alike. Must match skeletonOf in look-alike.ts.
create function address_skeleton(address text) returns text
  language sql immutable parallel safe strict
  return replace(replace(translate(
    replace(split_part(address, '@', 1), '.', '') || '@' || split_part(address, '@', 2), '01i', 'oll'), 'rn', 'm'), 'vv', 'w');
create index people_skeleton on people (address_skeleton(email_canonical));
create index invitations_skeleton on invitations (address_skeleton(email_canonical)) where status = 'pending';
