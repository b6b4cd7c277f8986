-- Earlier checksum: ed5a2994a29f27c360ed7d7c0ad852bbabcaa23f42ec805a50c8ab5efbe5d39d
-- Addresses and names are sorted and searched in lower case, by indexes on these columns.

alter table people
  add column email_folded text generated always as (lower(email)) stored,
  add column display_name_folded text generated always as (lower(display_name)) stored;
drop index people_email;
drop index people_display_name;
create index people_email on people (email_folded, id);
create index people_display_name on people (display_name_folded, id);

alter table invitations
  add column email_folded text generated always as (lower(email)) stored,
  add column name_folded text generated always as (lower(name)) stored;
drop index invitations_email;
drop index invitations_name;
create index invitations_email on invitations (email_folded, id);
create index invitations_name on invitations (name_folded, id);
