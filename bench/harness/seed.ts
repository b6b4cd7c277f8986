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
 * Inserts people and their identities by SQL. Ids and joining times increase together. Surnames have a four-digit number, so that
 * searches with few and with many matches can be tested.
 */
export async function seedPeople(database: pg.Pool, people: number, issuer: string): Promise<void> {
  await fillWithoutIndexes(database, 'people', (client) =>
    client.query(
      `insert into people (id, email, email_canonical, display_name, role, status, invited_by, ways, joined_at, last_seen_at)
     select uuidv7(make_interval(mins => n - $1)),
            lower(first || '.' || last) || '.' || n || '@example.com', lower(first || '.' || last) || '.' || n || '@example.com',
            first || ' ' || last || '-' || lpad((n::bigint * 7919 % 10000)::text, 4, '0'),
            case when n < $2 then 'admin' else 'member' end,
            case when n >= $2 and n % 50 = 49 then 'disabled' else 'active' end,
            'admin@example.com', 'b2c', now() - make_interval(mins => $1 - n),
            case when n % 3 = 0 then null else now() - make_interval(mins => (n::bigint * 31 % 500000)::int) end
     from generate_series(0, $1 - 1) n,
          lateral (select $3::text[] as firsts, $4::text[] as lasts) names,
          lateral (select firsts[1 + n % array_length(firsts, 1)] as first,
                          lasts[1 + n / 50 % array_length(lasts, 1)] as last) name`,
      [people, administrators, firstNames, lastNames],
    ),
  );
  await fillWithoutIndexes(database, 'identities', (client) =>
    client.query(
      `insert into identities (issuer, subject, person_id, way, created_at)
       select $1, 'seeded-' || substring(email_canonical from '([0-9]+)@'), id, 'b2c', joined_at from people
       where email_canonical ~ '[0-9]@'`,
      [issuer],
    ),
  );
}

/** Drops the indexes of a table that belong to no constraint, fills it, and creates them again: for a million rows, three times as fast. */
export async function fillWithoutIndexes(
  database: pg.Pool,
  table: string,
  fill: (client: pg.PoolClient) => Promise<unknown>,
): Promise<void> {
  const client = await database.connect();
  try {
    const { rows } = await client.query<{ name: string; definition: string }>(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
       where indrelid = $1::regclass and not exists (select from pg_constraint where conindid = indexrelid)`,
      [table],
    );
    await client.query("set maintenance_work_mem = '1GB'");
    for (const { name } of rows) await client.query(`drop index ${name}`);
    await fill(client);
    for (const { definition } of rows) await client.query(definition);
    await client.query(`vacuum (analyze) ${table}`);
  } finally {
    client.release();
  }
}

/** Inserts `count` invitations of every status unless there are some. */
export async function seedInvitations(database: pg.Pool, count: number): Promise<void> {
  const { rows } = await database.query('select from invitations where email like $1 limit 1', ['invited.%']);
  if (rows.length > 0) return;
  await fillWithoutIndexes(database, 'invitations', (client) =>
    client.query(
      `insert into invitations (id, code_hash, email, email_canonical, name, role, message, status, mail_state, created_at, created_by, expires_at, mailed_at, opened_at, redeemed_at)
     select uuidv7(make_interval(mins => n - $1)), sha256(('bench ' || n)::bytea), 'invited.' || n || '@example.org', 'invited.' || n || '@example.org',
            'Person ' || n, 'member', '', (array['pending', 'redeemed', 'redeemed', 'revoked'])[1 + n % 4], 'sent',
            now() - make_interval(mins => $1 - n), 'admin' || n % 5 || '@example.com', now() + make_interval(hours => n % 240 - 72),
            now() - make_interval(mins => $1 - n), case when n % 8 < 4 then now() end, case when n % 4 in (1, 2) then now() end
     from generate_series(0, $1 - 1) n`,
      [count],
    ),
  );
}
