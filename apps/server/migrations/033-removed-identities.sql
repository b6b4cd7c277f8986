-- Earlier checksum: 4cc21cb4749ed29fe795040c784c2437ec7b6d850bea802e67d85fc13798442e
-- Identities of removed people, so that an open domain does not admit them again by account or address.
create table removed_identities (
  person_id uuid not null references removed_people (id) on delete cascade,
  -- SHA-256 of issuer and subject: recognizes the account without storing its name.
  identity_hash bytea not null,
  -- The address if the provider verified it, in canonical form.
  email_canonical text,
  primary key (person_id, identity_hash)
);
create index removed_identities_identity_hash on removed_identities (identity_hash);
create index removed_identities_email_canonical on removed_identities (email_canonical);
