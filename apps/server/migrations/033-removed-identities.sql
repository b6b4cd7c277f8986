-- Who removed people were at their providers. Where a domain is open, they come back neither by such an account nor by its address.
create table removed_identities (
  person_id uuid not null references removed_people (id) on delete cascade,
  -- SHA-256 of issuer and subject: knows the account again, and does not name it.
  identity_hash bytea not null,
  -- The address that the provider vouched for, as addresses are compared.
  email_canonical text,
  primary key (person_id, identity_hash)
);
create index removed_identities_identity_hash on removed_identities (identity_hash);
create index removed_identities_email_canonical on removed_identities (email_canonical);
