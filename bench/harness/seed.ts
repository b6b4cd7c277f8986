/** Fills the database of a measurement. */
import type pg from 'pg';

const administrators = 100;

const firstNames =
  'Ada Amir Anna Bela Bo Carla Chen Dana Emil Eva Farid Gita Hana Igor Ines Ivo Jan Jia Kofi Lars Lea Lin Luis Mara Mei Mina Nils Noor Olga Omar Otto Pia Qi Ravi Rosa Sam Sara Sven Tara Timo Uma Vera Wang Willa Xenia Yann Yuki Zara Zeno Zoe'.split(
    ' ',
  );
export const lastNames =
  'Abbot Adler Almeida Baker Bauer Becker Bianchi Brandt Castro Cohen Costa Dahl Diaz Dubois Eriksen Faber Fischer Garcia Greco Haas Hansen Ibrahim Ito Jansen Jones Kaya Keller Kim Kovacs Larsen Lehmann Lopez Meyer Moreau Nagy Nakamura Novak Okafor Olsen Patel Pereira Quist Ricci Rossi Sato Schmidt Silva Tanaka Urban Vidal Weber Yilmaz'.split(
    ' ',
  );

export const seededSubject = (number: number): string => `seeded-${number}`;

/**
 * Inserts people with their identities, and as many invitations of every status, on three connections. Ids and times increase together.
 * Surnames have a four-digit number, so that searches with few and with many matches can be tested. The counts of the dashboard are not
 * filled.
 */
export async function seed(database: pg.Pool, count: number, issuer: string): Promise<void> {
  const start = new Date(Date.now() - count * 60_000);
  const arePeopleInserted = Promise.withResolvers<void>();
  await Promise.all([
    seedPeople(database, count, start, arePeopleInserted.resolve),
    seedInvitations(database, count, start),
    arePeopleInserted.promise.then(() => seedIdentities(database, count, issuer, start)),
  ]);
}

/** Whether the database has exactly as many seeded people. Throws if it has another number. */
export async function hasSeeds(database: pg.Pool, count: number): Promise<boolean> {
  const { rows } = await database.query<{ subject: string }>(
    'select subject from identities where subject = any($1)',
    [[seededSubject(0), seededSubject(count - 1), seededSubject(count)]],
  );
  if (rows.length === 0) return false;
  const isComplete = rows.length === 2 && !rows.some(({ subject }) => subject === seededSubject(count));
  if (!isComplete) throw new Error('The directory has a database with another number of people.');
  return true;
}

/** Moves the people who sign in during measurements to the provider of this run, which has another port. */
export async function adoptIssuer(database: pg.Pool, issuer: string): Promise<void> {
  const subjects = Array.from({ length: administrators }, (_, number) => seededSubject(number));
  await database.query('update identities set issuer = $1 where subject = any($2)', [
    issuer,
    ['administrator', ...subjects],
  ]);
}

/** SQL of the time and the id (UUID version 7) of row `n`; $1 is the time of the first row. */
const timeOfRow = `$1::timestamptz + make_interval(mins => n)`;
const idOfRow = `(lpad(to_hex((extract(epoch from $1::timestamptz) * 1000)::int8 + n * 60000::int8), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`;

async function seedPeople(
  database: pg.Pool,
  count: number,
  start: Date,
  inserted: () => void,
): Promise<void> {
  await fillWithoutIndexes(
    database,
    'people',
    (client) =>
      client.query(
        `insert into people (id, email, email_canonical, display_name, role, status, invited_by, ways, joined_at, last_seen_at)
     select ${idOfRow}, email, email,
            first || ' ' || last || '-' || lpad((n::bigint * 7919 % 10000)::text, 4, '0'),
            case when n < $3 then 'admin' else 'member' end,
            case when n >= $3 and n % 50 = 49 then 'disabled' else 'active' end,
            'admin@example.com', 'b2c', ${timeOfRow},
            case when n % 3 = 0 then null else now() - make_interval(mins => (n::bigint * 31 % 500000)::int) end
     from generate_series(0, $2 - 1) n,
          lateral (select $4::text[] as firsts, $5::text[] as lasts) names,
          lateral (select firsts[1 + n % array_length(firsts, 1)] as first,
                          lasts[1 + n / 50 % array_length(lasts, 1)] as last) name,
          lateral (select lower(first || '.' || last) || '.' || n || '@example.com' as email) address`,
        [start, count, administrators, firstNames, lastNames],
      ),
    inserted,
  );
}

async function seedIdentities(database: pg.Pool, count: number, issuer: string, start: Date): Promise<void> {
  await fillWithoutIndexes(database, 'identities', (client) =>
    client.query(
      `insert into identities (issuer, subject, person_id, way, created_at)
       select $3, 'seeded-' || n, ${idOfRow}, 'b2c', ${timeOfRow} from generate_series(0, $2 - 1) n`,
      [start, count, issuer],
    ),
  );
}

async function seedInvitations(database: pg.Pool, count: number, start: Date): Promise<void> {
  await fillWithoutIndexes(database, 'invitations', (client) =>
    client.query(
      `insert into invitations (id, code_hash, email, email_canonical, name, role, message, status, mail_state, created_at, created_by, expires_at, mailed_at, opened_at, redeemed_at)
     select ${idOfRow}, sha256(('bench ' || n)::bytea), 'invited.' || n || '@example.org', 'invited.' || n || '@example.org',
            'Person ' || n, 'member', '', (array['pending', 'redeemed', 'redeemed', 'revoked'])[1 + n % 4], 'sent',
            ${timeOfRow}, 'admin' || n % 5 || '@example.com', now() + make_interval(hours => n % 240 - 72),
            ${timeOfRow}, case when n % 8 < 4 then now() end, case when n % 4 in (1, 2) then now() end
     from generate_series(0, $2 - 1) n`,
      [start, count],
    ),
  );
}

/**
 * Fills a table without its triggers, constraints and indexes, and creates them again: for a million rows, three times as fast. Keys
 * stay if other tables refer to them. Calls `filled` before the indexes are created.
 */
export async function fillWithoutIndexes(
  database: pg.Pool,
  table: string,
  fill: (client: pg.PoolClient) => Promise<unknown>,
  filled?: () => void,
): Promise<void> {
  const client = await database.connect();
  try {
    const { rows: constraints } = await client.query<{ name: string; definition: string }>(
      `select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
       where conrelid = $1::regclass and (contype = 'f' or contype in ('p', 'u') and not exists (
         select from pg_constraint reference where reference.contype = 'f' and reference.conindid = pg_constraint.conindid))`,
      [table],
    );
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
       where indrelid = $1::regclass and not exists (select from pg_constraint where conindid = indexrelid)`,
      [table],
    );
    await client.query("set maintenance_work_mem = '1GB'");
    for (const { name } of constraints) await client.query(`alter table ${table} drop constraint ${name}`);
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    await client.query(`alter table ${table} disable trigger user`);
    await client.query('begin');
    // With `wal_level = minimal`, rows are not logged in the transaction that creates the table's file.
    const { rows: keys } = await client.query<{ name: string }>(
      `select conname as name from pg_constraint where conrelid = $1::regclass and contype = 'p'`,
      [table],
    );
    for (const { name } of keys) await client.query(`cluster ${table} using ${name}`);
    await fill(client);
    await client.query('commit');
    filled?.();
    await client.query(`alter table ${table} enable trigger user`);
    for (const { definition } of indexes) await client.query(definition);
    for (const { name, definition } of constraints)
      await client.query(`alter table ${table} add constraint ${name} ${definition}`);
    await client.query(`vacuum (analyze) ${table}`);
  } finally {
    client.release();
  }
}
