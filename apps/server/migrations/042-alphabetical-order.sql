-- Earlier checksum: c4ddccfcf53900c313a8394b2a164bb6982f44cb80c3b81dbf4cceb627e1202f
-- Lists sort names and addresses by the Unicode Collation Algorithm, which suits every language of the site: Äpfel next
-- to Apfel, and "Room 9" before "Room 10". The collation is deterministic: only identical texts are equal.
-- Locks: invitations, people, removed_people, moves, attachments in access exclusive mode
create collation alphabetical (provider = icu, locale = 'und-u-kn-true');

drop index people_display_name;
drop index people_email;
create index people_display_name on people (display_name_folded collate alphabetical, id) include (search);
create index people_email on people (email_folded collate alphabetical, id) include (search);

drop index invitations_name;
drop index invitations_email;
create index invitations_name on invitations (name_folded collate alphabetical, id);
create index invitations_email on invitations (email_folded collate alphabetical, id);

drop index removed_people_display_name;
drop index removed_people_email;
create index removed_people_display_name on removed_people (display_name_folded collate alphabetical, id);
create index removed_people_email on removed_people (email_folded collate alphabetical, id);

drop index moves_display_name;
drop index moves_email;
create index moves_display_name on moves (display_name_folded collate alphabetical, id);
create index moves_email on moves (email_folded collate alphabetical, id);

drop index attachments_name;
drop index attachments_owner_name;
drop index attachments_owner_email;
create index attachments_name on attachments (name_folded collate alphabetical, id) where deleted_at is null;
create index attachments_owner_name on attachments (owner_name_folded collate alphabetical, id) where deleted_at is null;
create index attachments_owner_email on attachments (owner_email_folded collate alphabetical, id) where deleted_at is null;
