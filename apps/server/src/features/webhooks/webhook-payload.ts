/**
 * What a message says. It is written when it is sent, from the entry of the activity log that it tells of: whoever was erased
 * meanwhile is not named. Only what stands here leaves the house, and never a code, a token, a network address or a file's bytes.
 */
import { auditColumns, type AuditRow } from '../../platform/audit/audit-row.ts';
import { rowsOf, type Queryable } from '../../platform/database/database.ts';
import type { MessageRow } from './webhook-store.ts';

type Told = 'id' | 'message_id' | 'event' | 'at' | 'object_type' | 'object_id';
export type ToTell = Pick<MessageRow, Told> & { activity_id: number | null };

/** Of an entry's details: of the person who is invited or changed, and of the file. */
const told = [
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

/** Bodies by the ids of the messages. */
export async function writePayloads(database: Queryable, messages: ToTell[]): Promise<Map<number, string>> {
  const [entries, labels] = await Promise.all([
    readEntries(database, messages),
    readLabels(database, messages),
  ]);
  return new Map(
    messages.map((message) => {
      const entry = message.activity_id === null ? undefined : entries.get(message.activity_id);
      const isItself = entry?.target_id === message.object_id;
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
              ...(isItself && detailsOf(entry)),
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
  Object.fromEntries(told.flatMap((name) => (name in detail ? [[name, detail[name]]] : [])));

async function readEntries(database: Queryable, messages: ToTell[]): Promise<Map<number, AuditRow>> {
  const ids = messages.flatMap(({ activity_id }) => activity_id ?? []);
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<AuditRow>(database, {
    name: 'read-entries-of-webhooks',
    text: `select ${auditColumns} from audit_log where id = any($1)`,
    values: [ids],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Addresses of those about whom the log says nothing: sign-ins, and invitations that expired. */
async function readLabels(database: Queryable, messages: ToTell[]): Promise<Map<string, string>> {
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
