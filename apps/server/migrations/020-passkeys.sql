-- Signing in without a provider: passkeys, and codes that are mailed.

create table passkeys (
  -- As authenticators call it, in base64url.
  credential_id text primary key,
  id uuid not null unique,
  person_id uuid not null references people (id) on delete cascade,
  -- COSE, as WebAuthn has it. It opens nothing: the private half never leaves the authenticator.
  public_key bytea not null,
  counter bigint not null,
  -- The host that it was made for. At another one browsers do not offer it.
  rp_id text not null,
  transports text[] not null,
  -- Which make of authenticator it says it is; zeros where it does not say.
  aaguid uuid not null,
  name text not null,
  is_backup_eligible boolean not null,
  is_backed_up boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz
) with (fillfactor = 80);
create index passkeys_person on passkeys (person_id);
create index passkeys_rp_id on passkeys (rp_id);

-- Challenges of sign-ins that were answered, until they are too old to be answered again.
create table used_challenges (
  hash bytea primary key,
  ends_at timestamptz not null
);
create index used_challenges_ends_at on used_challenges (ends_at);

-- Resets of somebody's sign-in that an administrator can still undo.
create table sign_in_resets (
  person_id uuid primary key references people (id) on delete cascade,
  asked_by text not null,
  takes_effect_at timestamptz not null
);
create index sign_in_resets_takes_effect_at on sign_in_resets (takes_effect_at);

-- Of a sign-in by a mailed code: the address that it is for, as addresses are compared. One at a time.
alter table sign_in_transactions add column address text;
create unique index sign_in_transactions_address on sign_in_transactions (address) where address is not null;
