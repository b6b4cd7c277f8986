-- The key of the site, from which all else is derived, sealed with SECRET: a new SECRET seals it anew and changes nothing else. While one
-- SECRET replaces another there is a row for each; the newest has the highest number. Sites from before 1.0.0 have no sealed key: there the
-- key is the SECRET that they were set up with.
alter table server_identity drop column one;
alter table server_identity
  add primary key (secret_fingerprint),
  add column number integer not null default 1 unique,
  add column sealed_key bytea;
