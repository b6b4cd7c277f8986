-- Earlier checksum: 7f8ed544b4d4d9b21a640f051cf272b90f4b85d35124aaa4f9a7605a82ff2413
-- Webhooks report events to other programs. A message refers to an entry of the audit log, from which its body is created
-- when it is sent.

create table webhooks (
  id uuid primary key,
  url text not null,
  description text not null,
  events text[] not null,
  is_on boolean not null default true,
  -- Why the server disabled the webhook.
  off_because text check (off_because in ('failing', 'gone')),
  -- Encrypted with a key derived from SECRET. The earlier secret also signs messages until `earlier_secret_until`.
  secret bytea not null,
  earlier_secret bytea,
  earlier_secret_until timestamptz,
  created_by text not null,
  created_at timestamptz not null,
  -- Number of failed attempts since the last delivery, the time of the first of them, and the time of the next
  -- attempt.
  failures integer not null default 0,
  failing_since timestamptz,
  retry_at timestamptz,
  delivered_at timestamptz
);

-- Queue and log of deliveries. Messages about the same object are sent in the order of their ids.
create table webhook_messages (
  id bigint generated always as identity primary key,
  message_id uuid not null default gen_random_uuid(),
  webhook_id uuid not null references webhooks on delete cascade,
  event text not null,
  at timestamptz not null,
  object_type text not null,
  object_id text not null,
  activity_id bigint,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'given_up')),
  -- In the future while the message waits for a retry, and while it is being sent.
  due_at timestamptz not null default '-infinity',
  attempts integer not null default 0,
  first_attempt_at timestamptz,
  last_attempt_at timestamptz,
  -- Result of the last attempt.
  status integer,
  answer text,
  milliseconds integer
);
create index webhook_messages_due on webhook_messages (webhook_id, due_at, id) where state = 'waiting';
create index webhook_messages_object on webhook_messages (webhook_id, object_id, id) where state = 'waiting';
create index webhook_messages_log on webhook_messages (webhook_id, id);
create index webhook_messages_at on webhook_messages (at);

-- Time up to which expired invitations were reported: expiry itself writes nothing.
create table webhook_clock (
  one boolean primary key default true check (one),
  expired_until timestamptz not null
);
insert into webhook_clock (expired_until) values (now());

create function queue_webhooks_of_log() returns trigger language plpgsql as $$
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
      ('attachment.uploaded', 'attachment.added'),
      ('attachment.shared', 'attachment.shared'),
      ('attachment.deleted', 'attachment.deleted')) told (action, event) using (action)
    join webhooks hook on hook.is_on and told.event = any(hook.events)
    order by entry.id;
  end if;
  return null;
end $$;
create trigger audit_log_told after insert on audit_log
  referencing new table as came for each statement execute function queue_webhooks_of_log();

create function queue_webhooks_of_sign_ins() returns trigger language plpgsql as $$
begin
  insert into webhook_messages (webhook_id, event, at, object_type, object_id)
  select hook.id, 'person.signed_in', came.at, 'person', came.person_id::text
  from came, webhooks hook where hook.is_on and 'person.signed_in' = any(hook.events);
  return null;
end $$;
create trigger sign_ins_told after insert on sign_ins
  referencing new table as came for each statement execute function queue_webhooks_of_sign_ins();
