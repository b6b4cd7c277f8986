-- Earlier checksum: 8ae9e1a2113a1df7741ac5915af056e78ee2d19f3fd7aceddf8c0d47b80358d3
-- Sign-in without a provider: passkeys and mailed codes.

create table passkeys (
  -- As reported by the authenticator, in base64url.
  credential_id text primary key,
  id uuid not null unique,
  person_id uuid not null references people (id) on delete cascade,
  -- A COSE key (WebAuthn), not a secret.
  public_key bytea not null,
  counter bigint not null,
  -- The host for which the passkey was created. Browsers do not offer it at other hosts.
  rp_id text not null,
  transports text[] not null,
  -- Model of the authenticator; zeros if not reported.
  aaguid uuid not null,
  name text not null,
  is_backup_eligible boolean not null,
  is_backed_up boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz
) with (fillfactor = 80);
create index passkeys_person on passkeys (person_id);
create index passkeys_rp_id on passkeys (rp_id);

-- Answered challenges, until they expire, so that none is answered twice.
create table used_challenges (
  hash bytea primary key,
  ends_at timestamptz not null
);
create index used_challenges_ends_at on used_challenges (ends_at);

-- Resets of a person's sign-in that an administrator can still undo.
create table sign_in_resets (
  person_id uuid primary key references people (id) on delete cascade,
  asked_by text not null,
  takes_effect_at timestamptz not null
);
create index sign_in_resets_takes_effect_at on sign_in_resets (takes_effect_at);

-- Address to which the code of a sign-in without a provider is mailed, in canonical form. At most one transaction per
-- address.
alter table sign_in_transactions add column address text;
create unique index sign_in_transactions_address on sign_in_transactions (address) where address is not null;
