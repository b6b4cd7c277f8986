-- Extensions: due jobs, stored settings, and webhook events that are entries of the activity log.

create table extension_jobs (
  -- Such as tickets/remind.
  name text primary key,
  -- Infinity for a job without an interval until it is started.
  due_at timestamptz not null,
  -- Renewed by the process that runs the job; another process continues after it has passed.
  leased_until timestamptz not null default '-infinity'
);

create table extension_settings (
  extension text primary key,
  value jsonb not null,
  version integer not null,
  changed_at timestamptz not null,
  changed_by text not null
);

-- Otherwise as in 054. An action can be subscribed to by its name; the server accepts only names that an extension declares.
create or replace function queue_webhooks_of_log() returns trigger language plpgsql as $$
begin
  if exists (select from webhooks where is_on) then
    insert into webhook_messages (webhook_id, event, at, object_type, object_id, activity_id)
    select hook.id, told.event, entry.at, split_part(told.event, '.', 1),
      -- The entry of a redemption names the invitation as target; the message is about the person who joined.
      case when told.event in ('person.joined', 'member.added') and entry.target_type = 'invitation' then entry.detail ->> 'personId'
        else entry.target_id end,
      entry.id
    from came entry cross join lateral (
      select event from (values
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
        ('attachment.restored', 'attachment.restored')) mapped (action, event) where mapped.action = entry.action
      union select entry.action) told
    join webhooks hook on hook.is_on and told.event = any(hook.events)
      and is_in_webhook_scope(hook.organization_id, entry.detail -> 'organization' ->> 'id',
        case when told.event in ('person.disabled', 'person.enabled') then entry.target_id end)
    order by entry.id;
  end if;
  return null;
end $$;
