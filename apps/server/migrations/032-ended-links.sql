-- Earlier checksum: 736fa3153a21de0a13693fb3ffd6e5ddbfe1c37aaa756b505e9b13c15491896a
-- Deletes sign-ins that were started with a link when another link replaces it, whichever statement does that.
create index sign_in_transactions_invitation on sign_in_transactions (invitation_id) where invitation_id is not null;
create function end_sign_ins_of_link() returns trigger language plpgsql as $$
begin
  delete from sign_in_transactions where invitation_id = new.id;
  return null;
end $$;
create trigger invitations_end_sign_ins after update of code_hash on invitations
  for each row when (old.code_hash <> new.code_hash) execute function end_sign_ins_of_link();
