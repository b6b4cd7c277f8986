-- Earlier checksum: 053f04c03a918cd3291685f068e65f2710af5f9c355ec0255154a70a07258cf5
-- Adds the event person.erased, so that receivers can delete their data. Otherwise as in 022.
create or replace function queue_webhooks_of_log() returns trigger language plpgsql as $$
begin
  if exists (select from webhooks where is_on) then
    insert into webhook_messages (webhook_id, event, at, object_type, object_id, activity_id)
    select hook.id, told.event, entry.at, split_part(told.event, '.', 1),
      -- The entry of a redemption names the invitation as target; the message is about the person who joined.
      case when told.event = 'person.joined' and entry.target_type = 'invitation' then entry.detail ->> 'personId'
        else entry.target_id end,
      entry.id
    from came entry join (values
      ('invitation.created', 'invitation.created'),
      ('invitation.renewed', 'invitation.renewed'),
      ('invitation.revoked', 'invitation.revoked'),
      ('invitation.redeemed', 'invitation.redeemed'),
      ('invitation.redeemed', 'person.joined'),
      ('person.admitted', 'person.joined'),
      ('person.role_changed', 'person.changed'),
      ('person.disabled', 'person.disabled'),
      ('person.enabled', 'person.enabled'),
      ('person.removed', 'person.removed'),
      ('person.erased', 'person.erased'),
      ('attachment.uploaded', 'attachment.added'),
      ('attachment.shared', 'attachment.shared'),
      ('attachment.deleted', 'attachment.deleted')) told (action, event) using (action)
    join webhooks hook on hook.is_on and told.event = any(hook.events)
    order by entry.id;
  end if;
  return null;
end $$;
