/**
 * Measures the lists of people and invitations: column filters, counts, searches, and exports with the memory growth of the
 * server. Inserts as many invitations as there are people.
 */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { countInvitations, listInvitations } from '@vestibule/contract/invitations';
import { countPeople, listPeople } from '@vestibule/contract/people';
import type { Filter } from '@vestibule/contract/values';
import type { Figure } from '../report/figure.ts';
import { measureMedianMs } from '../harness/http-load.ts';
import { options } from '../report/options.ts';
import { peers } from '../report/peers.ts';
import { lastNames } from '../harness/seed-people.ts';
import { fillWithoutIndexes } from '../harness/fill-without-indexes.ts';
import { runOnBenchSite, type BenchSite } from '../harness/bench-site.ts';

const repetitions = 10;
const atMost = (value: number) => ({ at: 'most', value }) as const;
const filterLimit = atMost(60);
const countLimit = atMost(200);
/** Limit for the first rows of a two-letter search; the count is requested separately. */
const typedLimit = atMost(150);

type FilterCase = {
  list: 'people' | 'invitations';
  label: string;
  filter: (index: number) => Filter;
  isRare?: boolean;
};

export async function measureLists({ url, tokens, database, memory }: BenchSite): Promise<Figure[]> {
  await seedInvitations(database, options.people);
  const headers = { authorization: `Bearer ${tokens[0]}` };
  const paths = { people: listPeople.path, invitations: listInvitations.path };
  const requestPage = async ({ list, filter }: FilterCase, index: number, offset: number) => {
    const query = new URLSearchParams({ offset: String(offset), filters: JSON.stringify([filter(index)]) });
    const answer = await fetch(`${url}${paths[list]}?${query.toString()}`, { headers });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { total: number | null };
  };

  const figures: Figure[] = [];
  for (const filterCase of filterCases) {
    const { list, label, isRare } = filterCase;
    const { total } = await requestPage(filterCase, 0, 0);
    const hits = `${total?.toLocaleString('en-US')} hits`;
    figures.push(
      {
        name: `${list} by ${label} (${hits}), a page`,
        measured: await measureMedianMs(repetitions, (index) => requestPage(filterCase, index, 1)),
        unit: 'ms',
        limit: filterLimit,
        peers: peers.contains,
      },
      {
        name: `${list} by ${label} (${hits}), first page with its count`,
        measured: await measureMedianMs(repetitions, (index) => requestPage(filterCase, index, 0)),
        unit: 'ms',
        limit: isRare ? filterLimit : countLimit,
      },
    );
  }

  const read = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { total: number | null };
  };
  for (const list of ['people', 'invitations'] as const) {
    const searchFor = (letters: string, part: string, sort = '') =>
      read(`${paths[list]}?limit=100&part=${part}&search=${encodeURIComponent(letters)}${sort}`);
    const pairs = typedPairs[list];
    const totals = await Promise.all(pairs.map(async (pair) => (await searchFor(pair, 'total')).total));
    const slowest = async (searches: readonly string[], sort?: string) => {
      let slowestMs = 0;
      for (const letters of searches)
        slowestMs = Math.max(
          slowestMs,
          await measureMedianMs(repetitions, () => searchFor(letters, 'rows', sort)),
        );
      return slowestMs;
    };
    figures.push(
      {
        name: `${list}: two letters typed, first rows (${Math.min(...totals.map(Number)).toLocaleString('en-US')} hits or more)`,
        measured: await slowest(pairs),
        unit: 'ms',
        limit: typedLimit,
      },
      {
        name: `${list}: unknown letters, first rows`,
        measured: await slowest(['zq', 'q', 'zqx']),
        unit: 'ms',
        limit: typedLimit,
      },
    );
    for (const { label = '', texts, sort } of lateInOrder[list])
      figures.push({
        name: `${list}: ${label}found late in the order, first rows`,
        measured: await slowest(texts, sort),
        unit: 'ms',
        limit: typedLimit,
      });
    figures.push({
      name: `${list}: all groups counted`,
      measured: await measureMedianMs(repetitions, () => read(countPaths[list])),
      unit: 'ms',
      limit: filterLimit,
    });
  }

  for (const list of ['people', 'invitations'] as const)
    for (const format of ['csv', 'xlsx']) {
      // The peak is sampled five times a second; reset it for this measurement.
      const peakSoFar = memory.peak;
      memory.peak = 0;
      await delay(1_000);
      const before = memory.peak;
      const startedAt = performance.now();
      const answer = await fetch(`${url}${paths[list]}/export`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ format }),
      });
      if (!answer.ok || !answer.body) throw new Error(await answer.text());
      await pipeline(Readable.fromWeb(answer.body), createWriteStream('/dev/null'));
      const seconds = (performance.now() - startedAt) / 1000;
      await delay(300);
      figures.push(
        {
          name: `export of all ${list} as ${format}`,
          measured: seconds,
          unit: 's',
          limit: atMost(20),
        },
        {
          name: `the server's memory meanwhile, growth (${format} of ${list})`,
          measured: memory.peak - before,
          unit: 'MB',
          limit: atMost(50),
        },
      );
      memory.peak = Math.max(memory.peak, peakSoFar);
    }
  return figures;
}

const countPaths = { people: countPeople.path, invitations: countInvitations.path };
const byName = '&sort=displayName&direction=asc';
const byEmail = '&sort=email&direction=asc';
/** Searches whose matches are at the end of the sort order. */
const lateInOrder: Record<'people' | 'invitations', { label?: string; texts: string[]; sort: string }[]> = {
  people: [
    { texts: ['zo', 'zoe', 'willa'], sort: byName },
    { label: 'by their address, ', texts: ['zo', 'zoe', 'willa'], sort: byEmail },
    { label: 'by one letter, ', texts: ['z'], sort: byName },
  ],
  invitations: [{ texts: ['invited.9999', 'so'], sort: byEmail }],
};
const typedPairs = { people: ['an', 'ba', 'so', 'zo', 'm'], invitations: ['so', 'in', '@e'] } as const;

const secondsAgo = (index: number) => new Date(Date.now() - index * 1_000).toISOString();
const contains = (column: string, text: string): Filter => ({ column, is: 'contains', text });

/** `index` increases, so that no cached total is used. */
const filterCases: FilterCase[] = [
  {
    list: 'people',
    label: 'a rare part of the address',
    filter: (index) => contains('email', `.${index * 37 + 42}@`),
    isRare: true,
  },
  {
    list: 'people',
    label: 'a common surname',
    filter: (index) => contains('displayName', lastNames[index % lastNames.length] as string),
  },
  {
    list: 'people',
    label: 'a part of all addresses',
    filter: (index) => contains('email', '@example.com'.slice(index % 4, 12 - (Math.floor(index / 4) % 5))),
  },
  {
    list: 'people',
    label: 'when they joined',
    filter: (index) => ({ column: 'joinedAt', is: 'between', to: secondsAgo(index) }),
  },
  {
    list: 'people',
    label: 'a rare status',
    filter: (index) => ({ column: 'status', is: 'oneOf', values: ['disabled', `no status ${index}`] }),
  },
  ...(['pending', 'opened', 'expired', 'redeemed'] as const).map((status): FilterCase => ({
    list: 'invitations',
    label: `the status ${status}`,
    // An unknown value makes each filter unique.
    filter: (index) => ({ column: 'status', is: 'oneOf', values: [status, `no status ${index}`] }),
  })),
  {
    list: 'invitations',
    label: 'who invited',
    filter: (index) => contains('createdBy', `admin${index % 5}`),
  },
];

/** Inserts `count` invitations of every status unless there are some. */
export async function seedInvitations(database: BenchSite['database'], count: number): Promise<void> {
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

if (import.meta.main) await runOnBenchSite(measureLists);
