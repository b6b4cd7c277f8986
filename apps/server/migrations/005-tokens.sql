-- Earlier checksum: 870c44b6f71ccec583d1ece11e62b0e04d10f5062b12410da3550370fe4f1817
-- Personal access tokens of administrators. Only a keyed hash of each token is stored.

create table personal_tokens (
  id uuid primary key,
  person_id uuid not null references people (id) on delete cascade,
  name text not null,
  token_hash bytea not null unique,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz,
  last_address text,
  check (expires_at > created_at and expires_at <= created_at + interval '366 days')
);
create index personal_tokens_person on personal_tokens (person_id, created_at);
