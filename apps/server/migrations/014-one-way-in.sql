-- Of one address at most one invitation can lead in: the pending one (index invitations_one_pending). What has ended in
-- any way has ended for good, whatever a program does.

-- 'replaced': a later invitation to the address took its place. Expired is what is pending after its end: that is no state
-- of its own, and can be renewed.
alter table invitations drop constraint invitations_status_check;
update invitations set status = 'replaced' where status = 'expired';
-- Opened again although a later one had been there, or somebody is inside: these must not lead in.
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

-- Whoever is removed takes along what could still lead in with their address. Before, not after: whoever is redeeming it at
-- this moment then meets the person instead of waiting for us, who wait for them.
create function revoke_with_person() returns trigger language plpgsql as $$
begin
  update invitations set status = 'revoked', revoked_at = now(),
    mail_state = case mail_state when 'queued' then 'none' else mail_state end
  where email_canonical = old.email_canonical and status = 'pending';
  return old;
end $$;
create trigger people_take_invitations_along before delete on people
  for each row execute function revoke_with_person();

-- How much and how long is said in one place, the contract. What is left here are sets of words, and that nothing is negative.
alter table invitations drop constraint invitations_lifetime_days_check;
alter table people drop constraint people_theme_check, drop constraint people_language_check;
alter table personal_tokens drop constraint personal_tokens_check, add check (expires_at > created_at);
