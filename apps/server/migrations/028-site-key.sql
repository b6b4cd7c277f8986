-- Earlier checksum: d65745682559be5eb506163aefc36b5863a64325a91c769cc5eb04ba203a757c
-- The key of the site, from which all other keys are derived, encrypted with SECRET: a new SECRET encrypts the same key.
-- While one SECRET replaces another, there is a row for each; the newest has the highest number. Sites from before 1.0.0
-- have no encrypted key: their key is the SECRET at their setup.
alter table server_identity drop column one;
alter table server_identity
  add primary key (secret_fingerprint),
  add column number integer not null default 1 unique,
  add column sealed_key bytea;
