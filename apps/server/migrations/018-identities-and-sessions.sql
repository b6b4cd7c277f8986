-- Earlier checksum: f59cc56b06ee453059878d88187ea78383e81f2359ee878bc76ac03bc4cb8f29
-- Identities of people at several providers, and sessions of sign-ins through the server.

create table identities (
  -- Identifies an account at a provider (OpenID Connect Core, section 5.7). Accounts are never matched by e-mail address.
  issuer text not null,
  subject text not null,
  person_id uuid not null references people (id) on delete cascade,
  -- Sign-in method: b2c, or the id of an OpenID Provider in the configuration.
  way text not null,
  -- As last reported by the provider. May differ from the person's address, to which the invitation was sent.
  email text,
  email_verified boolean,
  created_at timestamptz not null default now(),
  last_sign_in_at timestamptz,
  constraint identities_identity primary key (issuer, subject)
);
insert into identities (issuer, subject, person_id, way, created_at, last_sign_in_at)
select issuer, subject, id, 'b2c', joined_at, last_sign_in_at from people;
create index identities_person on identities (person_id);
alter table people drop column issuer, drop column subject;

create table sessions (
  -- HMAC of the cookie's value.
  id_hash bytea primary key,
  -- Public identifier, not a secret.
  id uuid not null unique,
  person_id uuid not null references people (id) on delete cascade,
  issuer text not null,
  subject text not null,
  way text not null,
  -- Identifier of the provider's session in the same browser, if the provider reports it.
  sid text,
  created_at timestamptz not null,
  -- Updated at most once a minute.
  seen_at timestamptz not null,
  address text not null,
  user_agent text not null,
  -- Tokens of the provider, encrypted with a key derived from SECRET (AES-256-GCM).
  refresh_token_sealed bytea,
  id_token_sealed bytea,
  -- Time of the last check at the provider that the account is still valid.
  refreshed_at timestamptz not null,
  constraint sessions_identity foreign key (issuer, subject) references identities on delete cascade
) with (fillfactor = 80);
create index sessions_person on sessions (person_id);
create index sessions_sid on sessions (issuer, sid) where sid is not null;
create index sessions_subject on sessions (issuer, subject);
-- For the clean-up. `seen_at` is not indexed because it changes often; an idle session is deleted at its maximum age.
create index sessions_created_at on sessions (created_at);

-- Deletes the sessions of a person who is signed out everywhere, whichever statement does that.
create function end_sessions() returns trigger language plpgsql as $$
begin
  delete from sessions where person_id = new.id;
  return null;
end $$;
create trigger people_end_sessions after update of tokens_valid_after on people
  for each row execute function end_sessions();

-- Pending sign-ins and their outcomes. Nonce and code verifier are derived from the state.
create table sign_in_transactions (
  state_hash bytea primary key,
  way text not null,
  -- HMAC of a secret in a cookie of the browser that started the sign-in.
  binder_hash bytea not null,
  return_to text not null,
  invitation_id uuid,
  created_at timestamptz not null,
  -- Set before the code is exchanged, so that it is exchanged once.
  used_at timestamptz,
  outcome jsonb,
  -- Account whose user has not entered the mailed code yet, and the provider's tokens. Encrypted like the tokens of
  -- sessions.
  sealed bytea,
  proof_mails integer not null default 0,
  proof_mailed_at timestamptz,
  proof_tries integer not null default 0
);
create index sign_in_transactions_created_at on sign_in_transactions (created_at);

-- Accepted logout tokens, until they expire, so that none is accepted twice.
create table logout_token_ids (
  issuer text not null,
  jti text not null,
  ends_at timestamptz not null,
  primary key (issuer, jti)
);
create index logout_token_ids_ends_at on logout_token_ids (ends_at);

-- Last success and failure of each sign-in method, for Settings.
create table sign_in_ways (
  way text primary key,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_failure_code text
);
