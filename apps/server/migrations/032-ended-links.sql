-- Whoever has begun a sign-in with a link does not come in by it once another link has taken its place, whichever statement does that.
create index sign_in_transactions_invitation on sign_in_transactions (invitation_id) where invitation_id is not null;
create function end_sign_ins_of_link() returns trigger language plpgsql as $$
begin
  delete from sign_in_transactions where invitation_id = new.id;
  return null;
end $$;
create trigger invitations_end_sign_ins after update of code_hash on invitations
  for each row when (old.code_hash <> new.code_hash) execute function end_sign_ins_of_link();
