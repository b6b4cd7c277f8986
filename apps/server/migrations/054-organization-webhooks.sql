-- Webhooks of organizations: receive only events of their organization, and events about its members.
alter table webhooks add organization_id uuid references organizations (id) on delete cascade;
create index webhooks_organization on webhooks (organization_id) where organization_id is not null;

-- Whether a webhook receives an event. Webhooks of the site receive all; those of an organization only while it is active.
create function is_in_webhook_scope(webhook_organization uuid, event_organization text, person text) returns boolean
  language sql stable as $$
  select webhook_organization is null or (
    exists (select from organizations where id = webhook_organization and status = 'active'
      and coalesce(expires_at > now(), true))
    and (event_organization is not distinct from webhook_organization::text
      or exists (select from memberships where organization_id = webhook_organization and person_id = person::uuid)))
$$;

-- Otherwise as in 035.
create or replace function queue_webhooks_of_log() returns trigger language plpgsql as $$
begin
  if exists (select from webhooks where is_on) then
    insert into webhook_messages (webhook_id, event, at, object_type, object_id, activity_id)
    select hook.id, told.event, entry.at, split_part(told.event, '.', 1),
      -- The entry of a redemption names the invitation as target; the message is about the person who joined.
      case when told.event in ('person.joined', 'member.added') and entry.target_type = 'invitation' then entry.detail ->> 'personId'
        else entry.target_id end,
      entry.id
    from came entry join (values
      ('invitation.created', 'invitation.created'),
      ('invitation.renewed', 'invitation.renewed'),
      ('invitation.revoked', 'invitation.revoked'),
      ('invitation.redeemed', 'invitation.redeemed'),
      ('invitation.redeemed', 'person.joined'),
      -- By a person with an account, who becomes a member of an organization.
      ('invitation.accepted', 'invitation.redeemed'),
      ('invitation.accepted', 'member.added'),
      ('person.admitted', 'person.joined'),
      ('person.role_changed', 'person.changed'),
      ('person.disabled', 'person.disabled'),
      ('person.enabled', 'person.enabled'),
      ('person.removed', 'person.removed'),
      ('person.erased', 'person.erased'),
      ('member.added', 'member.added'),
      ('member.role_changed', 'member.changed'),
      ('member.removed', 'member.removed'),
      ('attachment.uploaded', 'attachment.added'),
      ('attachment.shared', 'attachment.shared'),
      ('attachment.deleted', 'attachment.deleted'),
      ('attachment.restored', 'attachment.restored')) told (action, event) using (action)
    join webhooks hook on hook.is_on and told.event = any(hook.events)
      and is_in_webhook_scope(hook.organization_id, entry.detail -> 'organization' ->> 'id',
        case when told.event in ('person.disabled', 'person.enabled') then entry.target_id end)
    order by entry.id;
  end if;
  return null;
end $$;

create or replace function queue_webhooks_of_sign_ins() returns trigger language plpgsql as $$
begin
  insert into webhook_messages (webhook_id, event, at, object_type, object_id)
  select hook.id, 'person.signed_in', came.at, 'person', came.person_id::text
  from came, webhooks hook where hook.is_on and 'person.signed_in' = any(hook.events)
    and is_in_webhook_scope(hook.organization_id, null, came.person_id::text);
  return null;
end $$;
