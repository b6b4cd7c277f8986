-- The link of a move is opened, and its mails are sent, without an entry in the audit log. This counts that, as 002 does of
-- invitations.
create sequence move_changes;
create function note_move_change() returns trigger language plpgsql as $$
begin
  perform nextval('move_changes');
  return null;
end $$;
create trigger moves_changed after update of mail, opened_at on moves
  for each statement execute function note_move_change();
