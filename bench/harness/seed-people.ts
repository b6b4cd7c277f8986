import type pg from 'pg';
import { fillWithoutIndexes } from './fill-without-indexes.ts';

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
export async function seedPeople(
  database: pg.Pool,
  options: { people: number; issuer: string },
): Promise<void> {
  const { people, issuer } = options;
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
       select $1, 'seeded-' || substring(email_canonical from '([0-9]+)@'), id, 'b2c', joined_at from people`,
      [issuer],
    ),
  );
}
