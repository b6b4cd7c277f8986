-- Earlier checksum: 4d69211bc6fac506da7b9c273e9040c6d0f03a19c8c37a869622c9bf42fd07ff
-- Counts mails and opened links of identity migrations, which have no entry in the audit log, as 002 does for
-- invitations.
create sequence move_changes;
create function note_move_change() returns trigger language plpgsql as $$
begin
  perform nextval('move_changes');
  return null;
end $$;
create trigger moves_changed after update of mail, opened_at on moves
  for each statement execute function note_move_change();
