-- Earlier checksum: b35cdfafeb3c3d57eceb70a26f576cd2319aad0d69f110f08c2d36848bdc893c
-- People, invitations, signing keys of invite tokens, and the audit log.
-- Earlier terms in names of tables and columns: `way` is a sign-in method, `move` an identity migration, `keeping`
-- retention, `is_on` enabled. Migration 043 renames tables.

create extension if not exists pg_trgm;

create table people (
  id uuid primary key,
  -- Issuer and subject identify a person. The e-mail address is where the invitation was sent, not an identity.
  issuer text not null,
  subject text not null,
  email text not null,
  email_canonical text not null,
  display_name text not null,
  role text not null check (role in ('member', 'admin')),
  status text not null default 'active' check (status in ('active', 'disabled')),
  invited_by text,
  joined_at timestamptz not null default now(),
  last_seen_at timestamptz,
  search text generated always as (lower(display_name || ' ' || email)) stored
);
create unique index people_identity on people (issuer, subject);
create unique index people_email_canonical on people (email_canonical);
create index people_search on people using gin (search gin_trgm_ops);
create index people_email on people (email, id);
create index people_display_name on people (display_name, id);
create index people_role on people (role, id);
create index people_status on people (status, id);
create index people_joined_at on people (joined_at, id);
create index people_last_seen_at on people (last_seen_at, id);
-- For counting the active administrators among a million people.
create index people_active_admins on people (id) where role = 'admin' and status = 'active';

create table invitations (
  id uuid primary key,
  -- HMAC of the short code. The code is derived from the id and not stored.
  code_hash bytea not null,
  email text not null,
  email_canonical text not null,
  name text not null,
  role text not null check (role in ('member', 'admin')),
  message text not null,
  -- 'expired' is set only when a new invitation replaces an expired one; until then, expires_at decides.
  status text not null default 'pending' check (status in ('pending', 'redeemed', 'revoked', 'expired')),
  mail_state text not null default 'none' check (mail_state in ('none', 'queued', 'sent', 'failed')),
  mail_error text,
  created_at timestamptz not null default now(),
  created_by text,
  expires_at timestamptz not null,
  opened_at timestamptz,
  redeemed_at timestamptz,
  redeemed_by uuid,
  revoked_at timestamptz,
  search text generated always as (lower(name || ' ' || email)) stored
);
create unique index invitations_code_hash on invitations (code_hash);
-- At most one pending invitation per address, also under concurrent requests.
create unique index invitations_one_pending on invitations (email_canonical) where status = 'pending';
create index invitations_search on invitations using gin (search gin_trgm_ops);
create index invitations_email on invitations (email, id);
create index invitations_name on invitations (name, id);
create index invitations_role on invitations (role, id);
create index invitations_status on invitations (status, id);
create index invitations_mail_state on invitations (mail_state, id);
create index invitations_created_at on invitations (created_at, id);
create index invitations_expires_at on invitations (expires_at, id);
create index invitations_redeemed_at on invitations (redeemed_at, id);

create table signing_keys (
  kid text primary key,
  -- The private key as JWK, encrypted with a key derived from SECRET (AES-256-GCM).
  sealed_private_key bytea not null,
  public_key jsonb not null,
  created_at timestamptz not null default now(),
  -- The public key is published before this time, so that verifiers that cache the key set already have it.
  signs_from timestamptz not null
);

create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  action text not null,
  actor_id uuid,
  actor_label text not null,
  target_type text not null,
  target_id text not null,
  target_label text not null,
  address text not null,
  request_id text not null,
  detail jsonb not null,
  search text generated always as (lower(actor_label || ' ' || action || ' ' || target_label || ' ' || address)) stored
);
create index audit_log_at on audit_log (at, id);
create index audit_log_target on audit_log (target_type, target_id, id);

-- Fingerprint of the SECRET from which codes and keys of this database are derived. The server does not start with
-- another SECRET.
create table server_identity (
  one boolean primary key default true check (one),
  secret_fingerprint text not null
);
