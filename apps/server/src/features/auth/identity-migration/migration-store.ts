/** Reads and writes identity migrations: requests to people to switch to another sign-in method. */
import {
  migrationLinkDays,
  migrationReminderHours,
  type MigrationColumn,
  type MigrationGroup,
  type MigrationState,
} from '@vestibule/contract/identity-migrations';
import {
  execute,
  jsonParameter,
  onlyRowOf,
  rawSql,
  rowOf,
  rowsOf,
  type Queryable,
} from '../../../platform/database/database.ts';
import type { ListColumn, ListSource } from '../../../platform/lists/list-source.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { dayMs, hourMs } from '../../../platform/time-units.ts';

export type MigrationRow = {
  id: string;
  person_id: string;
  email: string;
  display_name: string;
  way: string;
  mail: 'queued' | 'sent' | 'failed';
  mail_error: string | null;
  created_by: string;
  created_at: Date;
  reminded_at: Date | null;
  expires_at: Date;
  opened_at: Date | null;
  completed_at: Date | null;
  canceled_at: Date | null;
  identity_id: string | null;
};

const isPending = 'canceled_at is null and completed_at is null';

/** Conditions in SQL; `$now` is replaced by the current time. */
const stateConditions: Record<MigrationState, string> = {
  waiting: `${isPending} and expires_at > $now and opened_at is null`,
  opened: `${isPending} and expires_at > $now and opened_at is not null`,
  expired: `${isPending} and expires_at <= $now`,
  moved: 'canceled_at is null and completed_at is not null',
  undone: 'canceled_at is not null',
};

const groups: Record<MigrationGroup, string> = {
  ...stateConditions,
  failed: `${isPending} and mail = 'failed'`,
};

export function migrationStateOf(row: MigrationRow, now: number): MigrationState {
  if (row.canceled_at) return 'undone';
  if (row.completed_at) return 'moved';
  if (row.expires_at.getTime() <= now) return 'expired';
  return row.opened_at ? 'opened' : 'waiting';
}

export const migrationList: ListSource<MigrationColumn, ListColumn, MigrationGroup> = {
  table: 'identity_migrations',
  columns: {
    email: { kind: 'text', searched: true, folded: true },
    displayName: { kind: 'text', searched: true, folded: true },
    way: { kind: 'set' },
    state: { kind: 'set', sql: 'created_at', values: stateConditions },
    mail: { kind: 'set' },
    madeAt: { kind: 'date', sql: 'created_at' },
    movedAt: { kind: 'date', sql: 'completed_at' },
  },
  groups,
  newestFirst: 'created_at',
};

const expiryOf = (at: Date) => new Date(at.getTime() + migrationLinkDays * dayMs);
type StartedMigration = Pick<MigrationRow, 'id' | 'person_id' | 'email' | 'way'>;

/**
 * Inserts migrations of active people who have no pending migration, and who lack the method unless `replacesAccount`. Returns the
 * inserted ones.
 */
export async function insertMigrations(
  transaction: Queryable,
  migrations: { id: string; personId: string; codeHash: Buffer }[],
  options: { methodId: string; replacesAccount: boolean; createdBy: string; at: Date },
): Promise<StartedMigration[]> {
  const { methodId, replacesAccount, createdBy, at } = options;
  const rows = migrations.map(({ id, personId, codeHash }) => ({
    id,
    personId,
    hash: codeHash.toString('hex'),
  }));
  return rowsOf<StartedMigration>(transaction)`
    insert into identity_migrations (id, person_id, email, display_name, way, code_hash, created_by, created_at,
      expires_at, mail)
    select given.id, people.id, email, display_name, ${methodId}, decode(hash, 'hex'), ${createdBy}, ${at},
      ${expiryOf(at)}, 'queued'
    from jsonb_to_recordset(${jsonParameter(rows)}) as given (id uuid, "personId" uuid, hash text)
    join people on people.id = "personId"
    where status = 'active' and (${replacesAccount} or not exists (select from identities where person_id = people.id
      and way = ${methodId}))
    order by people.id for key share of people
    on conflict (person_id) where completed_at is null and canceled_at is null do nothing
    returning id, person_id, email, way`;
}

export type Candidate = { id: string; name: string; email: string; isDisabled: boolean; hasMethod: boolean };

/** Returns the people by id, with the reasons for skipping them (disabled, or has the method). Removed people are absent. */
export async function findCandidates(
  transaction: Queryable,
  personIds: string[],
  method: string,
): Promise<Map<string, Candidate>> {
  const rows = await rowsOf<Candidate>(transaction)`
    select id, display_name as name, email, status <> 'active' as "isDisabled",
      exists (select from identities where person_id = people.id and way = ${method}) as "hasMethod"
    from people where id = any(${personIds})`;
  return new Map(rows.map((row) => [row.id, row]));
}

const columns = `id, person_id, email, display_name, way, mail, mail_error, created_by, created_at, reminded_at, expires_at,
  opened_at, completed_at, canceled_at, identity_id`;

export const findMigrations = (database: Queryable, ids: string[]) =>
  rowsOf<MigrationRow>(database)`
    select ${rawSql(columns)} from identity_migrations where id = any(${ids}) order by person_id, id`;

export const findMigrationByCode = (database: Queryable, codeHash: Buffer) =>
  rowOf<MigrationRow>(database)`
    select ${rawSql(columns)} from identity_migrations where code_hash = ${codeHash}`;

/** Marks pending migrations as reminded and extends their links, unless mailed within the last day. Returns their ids. */
export async function markReminded(transaction: Queryable, ids: string[], at: Date): Promise<Set<string>> {
  const rows = await rowsOf<{ id: string }>(transaction)`
    update identity_migrations set reminded_at = ${at}, expires_at = ${expiryOf(at)}, mail = 'queued', mail_error = null
    where id = any(${ids}) and ${rawSql(isPending)}
      and coalesce(reminded_at, created_at) <= ${new Date(at.getTime() - migrationReminderHours * hourMs)}
      and exists (select from people where people.id = person_id and status = 'active')
    returning id`;
  return new Set(valuesOf(rows, 'id'));
}

/** Stores when the link was first opened. */
export async function markOpened(database: Queryable, id: string, at: Date): Promise<void> {
  await execute(database)`
    update identity_migrations set opened_at = ${at} where id = ${id} and opened_at is null and ${rawSql(isPending)}`;
}

/**
 * Completes a person's pending migration to a sign-in method. `migrationId` restricts this to one migration; null
 * allows any. Returns false if there is no such migration. `added` is the id of the identity that was added, if any.
 */
export async function completeMigration(
  transaction: Queryable,
  completed: { personId: string; migrationId: string | null; method: string; added: string | null },
  at: Date,
): Promise<boolean> {
  const { personId, migrationId, method, added } = completed;
  const rowCount = await execute(transaction)`
    update identity_migrations set completed_at = ${at}, identity_id = ${added}, opened_at = coalesce(opened_at, ${at})
    where person_id = ${personId} and way = ${method} and id = coalesce(${migrationId}, id) and ${rawSql(isPending)}`;
  return rowCount === 1;
}

/** Callers have locked the people and deleted the added identities. */
export async function markCancelled(transaction: Queryable, ids: string[], at: Date): Promise<void> {
  await execute(transaction)`
    update identity_migrations set canceled_at = ${at} where id = any(${ids}) and canceled_at is null`;
}

export async function storeMailStatus(
  database: Queryable,
  id: string,
  status: MigrationRow['mail'],
  error: string | null,
): Promise<void> {
  await execute(database)`
    update identity_migrations set mail = ${status}, mail_error = ${error} where id = ${id}`;
}

type MigrationCounts = Record<MigrationGroup | 'all' | 'lacking', number>;

export async function countMigrationsTo(
  database: Queryable,
  method: string,
  now: Date,
): Promise<MigrationCounts> {
  const counts = Object.entries(groups).map(
    ([group, sql]) => `count(*) filter (where ${sql.replaceAll('$now', '$2::timestamptz')}) as ${group}`,
  );
  return onlyRowOf<MigrationCounts>(database, {
    text: `select count(*) as all, ${counts.join(', ')},
             (select count(*) from people where status = 'active'
               and not exists (select from identities where person_id = people.id and identities.way = $1)
               and not exists (select from identity_migrations where person_id = people.id and ${isPending})) as lacking
           from identity_migrations where way = $1`,
    values: [method, now],
  });
}

/** Returns, for each other sign-in method, the number of people who have migrated to `method` and still have the other one. */
export const countPreviousMethods = (database: Queryable, method: string) =>
  rowsOf<{ way: string; people: number }>(database)`
    select identities.way, count(distinct identities.person_id) as people
    from identity_migrations join identities using (person_id)
    where identity_migrations.way = ${method} and ${rawSql(stateConditions.moved)} and identities.way <> ${method}
      group by identities.way order by 2 desc, 1`;

/** Returns the sign-in methods by person id. */
export async function findMethodsOf(
  database: Queryable,
  personIds: string[],
): Promise<Map<string, string[]>> {
  const rows = await rowsOf<{ person_id: string; methods: string[] }>(database)`
    select person_id, array_agg(distinct way) as methods from identities where person_id = any(${personIds})
      group by person_id`;
  return new Map(rows.map(({ person_id: id, methods }) => [id, methods]));
}
