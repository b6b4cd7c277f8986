/**
 * Writes message bodies when they are sent, from the activity log, so that people erased meanwhile are not named. Bodies never contain
 * codes, tokens, network addresses or file contents.
 */
import { auditColumns, type AuditRow } from '../../platform/audit/audit-log.ts';
import { rowsOf, type Queryable } from '../../platform/database/database.ts';
import type { MessageRow } from './webhook-store.ts';

export type OutboxMessage = Pick<
  MessageRow,
  'id' | 'message_id' | 'event' | 'at' | 'object_type' | 'object_id'
> & { activity_id: number | null };

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
] as const;

/** Returns bodies by message id. */
export async function writePayloads(
  database: Queryable,
  messages: OutboxMessage[],
): Promise<Map<number, string>> {
  const [entries, labels] = await Promise.all([
    readEntries(database, messages),
    readLabels(database, messages),
  ]);
  return new Map(
    messages.map((message) => {
      const entry = message.activity_id === null ? undefined : entries.get(message.activity_id);
      const isAboutObject = entry?.target_id === message.object_id;
      return [
        message.id,
        JSON.stringify({
          type: message.event,
          timestamp: message.at.toISOString(),
          data: {
            [message.object_type]: {
              id: message.object_id,
              ...describe(message.object_type, entry?.target_label ?? labels.get(message.object_id) ?? null),
            },
            ...(entry && {
              by: entry.actor_id === null ? null : { id: entry.actor_id, email: entry.actor_label },
              ...(isAboutObject && detailsOf(entry)),
            }),
          },
        }),
      ];
    }),
  );
}

const describe = (type: string, label: string | null) =>
  type === 'webhook' ? {} : type === 'attachment' ? { name: label } : { email: label };

const detailsOf = ({ detail }: AuditRow) =>
  Object.fromEntries(sentDetails.flatMap((name) => (name in detail ? [[name, detail[name]]] : [])));

async function readEntries(database: Queryable, messages: OutboxMessage[]): Promise<Map<number, AuditRow>> {
  const ids = messages.flatMap(({ activity_id }) => activity_id ?? []);
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<AuditRow>(database, {
    name: 'read-entries-of-webhooks',
    text: `select ${auditColumns} from audit_log where id = any($1)`,
    values: [ids],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Reads e-mail addresses for events without an audit entry: sign-ins and expired invitations. */
async function readLabels(database: Queryable, messages: OutboxMessage[]): Promise<Map<string, string>> {
  const ids = messages.filter(({ activity_id }) => activity_id === null).map(({ object_id }) => object_id);
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<{ id: string; email: string }>(database, {
    name: 'read-labels-of-webhooks',
    text: `select id::text, email from people where id = any($1::uuid[])
           union all select id::text, email from invitations where id = any($1::uuid[])`,
    values: [ids],
  });
  return new Map(rows.map(({ id, email }) => [id, email]));
}
