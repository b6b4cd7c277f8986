-- Any identity provider: a person has identities, and whoever signs in on the server has a session there.

create table identities (
  -- Who somebody is at a provider (OpenID Connect Core, section 5.7): never joined by an e-mail address.
  issuer text not null,
  subject text not null,
  person_id uuid not null references people (id) on delete cascade,
  -- The way in that it came by: b2c, or the id of an OpenID Provider in the configuration.
  way text not null,
  -- As the provider last said; it may differ from the person's, to which the invitation went.
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
  -- By which people and administrators name it; opens nothing.
  id uuid not null unique,
  person_id uuid not null references people (id) on delete cascade,
  issuer text not null,
  subject text not null,
  way text not null,
  -- The provider's name for its own session in that browser, if it tells.
  sid text,
  created_at timestamptz not null,
  -- Written at most once a minute.
  seen_at timestamptz not null,
  address text not null,
  user_agent text not null,
  -- Tokens of the provider, encrypted with a key derived from SECRET (AES-256-GCM).
  refresh_token_sealed bytea,
  id_token_sealed bytea,
  -- When the provider was last asked whether the person still belongs there.
  refreshed_at timestamptz not null,
  constraint sessions_identity foreign key (issuer, subject) references identities on delete cascade
) with (fillfactor = 80);
create index sessions_person on sessions (person_id);
create index sessions_sid on sessions (issuer, sid) where sid is not null;
create index sessions_subject on sessions (issuer, subject);
-- For clean-up. Not by seen_at, which changes: a session that was idle for too long goes when it is too old as well.
create index sessions_created_at on sessions (created_at);

-- Whoever is signed out everywhere has no session left, whichever statement signs them out.
create function end_sessions() returns trigger language plpgsql as $$
begin
  delete from sessions where person_id = new.id;
  return null;
end $$;
create trigger people_end_sessions after update of tokens_valid_after on people
  for each row execute function end_sessions();

-- A sign-in that is under way, or that ended without a session. Nonce and verifier are derived from the state.
create table sign_in_transactions (
  state_hash bytea primary key,
  way text not null,
  -- HMAC of what only the browser knows that began it.
  binder_hash bytea not null,
  return_to text not null,
  invitation_id uuid,
  created_at timestamptz not null,
  -- Set before the code is exchanged, so that none is exchanged twice.
  used_at timestamptz,
  outcome jsonb,
  -- Who waits for the code that was mailed, with the provider's tokens, encrypted as those of sessions.
  sealed bytea,
  proof_mails integer not null default 0,
  proof_mailed_at timestamptz,
  proof_tries integer not null default 0
);
create index sign_in_transactions_created_at on sign_in_transactions (created_at);

-- Logout tokens that were taken, until they are too old to be taken again.
create table logout_token_ids (
  issuer text not null,
  jti text not null,
  ends_at timestamptz not null,
  primary key (issuer, jti)
);
create index logout_token_ids_ends_at on logout_token_ids (ends_at);

-- How each way in does, for Settings.
create table sign_in_ways (
  way text primary key,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_failure_code text
);
