/**
 * Writes message bodies when they are sent, from the activity log, so that people erased meanwhile are not named. Bodies never contain
 * codes, tokens, network addresses or file contents.
 */
import { rowsOf, type Queryable } from '../../platform/database/database.ts';

export type OutboxMessage = {
  id: number;
  message_id: string;
  event: string;
  at: Date;
  object_type: string;
  object_id: string;
  activity_id: number | null;
};

type Source = {
  id: number;
  label: string | null;
  entry_id: number | null;
  actor_id: string | null;
  actor_label: string;
  detail: Record<string, unknown>;
};

/** Details of an audit entry that are sent. */
const sentDetails = [
  'role',
  'before',
  'after',
  'expiresAt',
  'size',
  'type',
  'personId',
  'personIds',
  'invitationIds',
];

/** Returns bodies by message id. */
export async function writePayloads(
  database: Queryable,
  messages: OutboxMessage[],
): Promise<Map<number, string>> {
  const rows = await rowsOf<Source>(database, {
    name: 'read-webhook-payloads',
    // Sign-ins and expired invitations have no audit entry.
    text: `select message.id, coalesce(target_label, person.email, invitation.email) as label, entry.id as entry_id, actor_id,
             actor_label, case when entry.target_id = message.object_id then detail else '{}' end as detail
           from webhook_messages message
           left join audit_log entry on entry.id = message.activity_id
           left join people person on person.id = case when activity_id is null then message.object_id::uuid end
           left join invitations invitation on invitation.id = case when activity_id is null then message.object_id::uuid end
           where message.id = any($1)`,
    values: [messages.map(({ id }) => id)],
  });
  const sources = new Map(rows.map((row) => [row.id, row]));
  return new Map(messages.map((message) => [message.id, writeBody(message, sources.get(message.id))]));
}

function organizationOf({ organization }: Record<string, unknown>) {
  if (organization == null) return {};
  const { id, name } = organization as { id: string; name: string };
  return { organization: { id, name } };
}

/** Field of the label. Objects of extensions have `label`. */
const labelNames: Record<string, string> = {
  attachment: 'name',
  person: 'email',
  invitation: 'email',
  member: 'email',
};

function writeBody({ event, at, object_type: type, object_id: id }: OutboxMessage, source?: Source): string {
  const label = source?.label ?? null;
  const object = { id, ...(type !== 'webhook' && { [labelNames[type] ?? 'label']: label }) };
  const changes = source?.entry_id != null && {
    by: source.actor_id === null ? null : { id: source.actor_id, email: source.actor_label },
    ...organizationOf(source.detail),
    ...Object.fromEntries(
      sentDetails.flatMap((name) => (name in source.detail ? [[name, source.detail[name]]] : [])),
    ),
  };
  return JSON.stringify({ type: event, timestamp: at.toISOString(), data: { [type]: object, ...changes } });
}
