-- Earlier checksum: 59fd816b4a5edc4ac991d5bb975147dcd21dc7a651834ef269ec36509a63954b
-- At most one invitation per address can be redeemed: the pending one (index invitations_one_pending). All other states
-- are final, enforced by a trigger.

-- 'replaced': a later invitation to the address exists. Expiry is not a state: an expired invitation is still pending,
-- and can be renewed.
alter table invitations drop constraint invitations_status_check;
update invitations set status = 'replaced' where status = 'expired';
-- A pending invitation must not remain redeemable if the address has a later invitation or redemption, or is a
-- person's.
update invitations set status = 'replaced', mail_state = case mail_state when 'queued' then 'none' else mail_state end
  from (
    select earlier.id from invitations earlier join invitations later
      on later.email_canonical = earlier.email_canonical and later.id <> earlier.id
        and (later.created_at > earlier.created_at or later.redeemed_at > earlier.created_at)
      where earlier.status = 'pending'
    union
    select invitations.id from invitations join people using (email_canonical) where invitations.status = 'pending'
  ) ended where ended.id = invitations.id;
alter table invitations
  add constraint invitations_status_check check (status in ('pending', 'redeemed', 'revoked', 'replaced'));

create function refuse_reopening() returns trigger language plpgsql as $$
begin
  raise exception 'Invitation % is % for good.', old.id, old.status using errcode = 'integrity_constraint_violation',
    constraint = 'invitations_end_once';
end $$;
create trigger invitations_end_once before update of status on invitations
  for each row when (old.status <> 'pending' and new.status <> old.status) execute function refuse_reopening();

-- Revokes the pending invitation to a removed person's address. Runs before the deletion, so that this transaction locks
-- the invitation before the person, as a concurrent redemption does. In the opposite order, the two would deadlock.
create function revoke_with_person() returns trigger language plpgsql as $$
begin
  update invitations set status = 'revoked', revoked_at = now(),
    mail_state = case mail_state when 'queued' then 'none' else mail_state end
  where email_canonical = old.email_canonical and status = 'pending';
  return old;
end $$;
create trigger people_take_invitations_along before delete on people
  for each row execute function revoke_with_person();

-- The contract defines maximum lengths and durations. The database checks only sets of values and lower bounds.
alter table invitations drop constraint invitations_lifetime_days_check;
alter table people drop constraint people_theme_check, drop constraint people_language_check;
alter table personal_tokens drop constraint personal_tokens_check, add check (expires_at > created_at);
