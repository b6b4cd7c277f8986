-- Logos of organizations. The key is part of their public address and random, so that the address reveals nothing about the organization.
create table organization_logos (
  organization_id uuid primary key references organizations (id) on delete cascade,
  key uuid not null constraint organization_logos_key unique,
  hash text not null,
  type text not null,
  width integer not null,
  height integer not null,
  bytes bytea not null
);
