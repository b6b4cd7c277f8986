/**
 * Measures the lists with a million people and as many invitations, one request at a time: pages, sorts, searches, column filters,
 * counts, and exports with the memory growth of the server.
 */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { countInvitations, listInvitations } from '@vestibule/contract/invitations';
import { countPeople, listPeople } from '@vestibule/contract/people';
import type { Filter } from '@vestibule/contract/values';
import { measureMedianMs } from '../harness/http-load.ts';
import { lastNames } from '../harness/seed.ts';
import { measureGrowth, type LoadedSite } from '../harness/site.ts';
import { options } from '../options.ts';
import { peers } from '../peers.ts';
import { atMost, failures, figure, type Figure } from '../report.ts';

const lists = ['people', 'invitations'] as const;
type List = (typeof lists)[number];
const paths = { people: listPeople.path, invitations: listInvitations.path };
const countPaths = { people: countPeople.path, invitations: countInvitations.path };
const limits = {
  // Five minutes for ten million.
  seeding: atMost(Math.ceil((300 * options.people) / 10_000_000)),
  first: atMost(15),
  page: atMost(60),
  far: atMost(150),
  typed: atMost(150),
  count: atMost(200),
};
/** After the first distant page of an order, the server samples the order's positions in the background: 4 s to 7 s for ten million people. */
const samplingMs = options.people / 1_000;

type Query = Record<string, string | number>;
type Read = (path: string, query?: Query) => Promise<{ total: number | null }>;
type Page = (query: Query) => Promise<unknown>;

export async function measureLists(site: LoadedSite): Promise<Figure[]> {
  let unavailable = 0;
  const read: Read = async (path, query = {}) => {
    const search = new URLSearchParams(query as Record<string, string>);
    const response = await fetch(`${site.url}${path}?${search.toString()}`, {
      headers: { authorization: `Bearer ${site.tokens[0]}` },
    });
    if (response.status === 503) {
      unavailable += 1;
      return { total: null };
    }
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as { total: number | null };
  };
  return [
    ...(site.seedingSeconds === null
      ? []
      : [figure('inserting people and invitations, with indexes', site.seedingSeconds, 's', limits.seeding)]),
    ...(await measurePages(read)),
    ...(await measureFilters(read)),
    ...(await measureTyping('people', read)),
    ...(await measureTyping('invitations', read)),
    failures('requests of lists with the status 503', unavailable),
    ...(await measureExports(site)),
  ];
}

async function measurePages(read: Read): Promise<Figure[]> {
  const page: Page = (query) => read(paths.people, query);
  const time = (count: number, query: Query) => measureMedianMs(count, () => page(query));
  const name = (offset: number) => `people, offset ${offset.toLocaleString('en-US')}`;
  const far = Math.floor(options.people * 0.9);
  // The server reads far pages from the nearer end, so the middle is the slowest.
  const middle = Math.floor(options.people * 0.5);
  const uncounted = await time(20, { offset: far });
  const countedAt = performance.now();
  await page({});
  const countingMs = performance.now() - countedAt;
  const figures = [
    figure(`${name(far)}, total not counted yet`, uncounted, 'ms', limits.far, { others: peers.farPage }),
    figure('people, first page while the total is counted', countingMs, 'ms'),
    figure('people, first page with total', await time(100, {}), 'ms', limits.first, {
      others: peers.firstPage,
    }),
    figure(name(far), await time(20, { offset: far }), 'ms', limits.far),
    figure(name(middle), await time(20, { offset: middle }), 'ms', limits.far),
  ];
  for (const sort of ['email', 'displayName', 'role', 'status', 'joinedAt', 'lastSeenAt']) {
    const slower = async (offset: number, count: number) =>
      Math.max(
        await time(count, { sort, direction: 'asc', offset }),
        await time(count, { sort, direction: 'desc', offset }),
      );
    figures.push(
      figure(`people by ${sort}, first page, slower direction`, await slower(0, 30), 'ms', limits.first),
    );
    const startedAt = performance.now();
    await page({ sort, offset: middle });
    figures.push(figure(`people by ${sort}, first distant page`, performance.now() - startedAt, 'ms'));
    await delay(samplingMs);
    figures.push(
      figure(
        `people by ${sort}, offset in the middle, slower direction`,
        await slower(middle, 5),
        'ms',
        limits.far,
      ),
    );
  }
  return figures;
}

async function measureFilters(read: Read): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { list, label, filter } of filterCases) {
    const page = (index: number, offset: number) =>
      read(paths[list], { offset, filters: JSON.stringify([filter(index)]) });
    const hits = (await page(0, 0)).total?.toLocaleString('en-US');
    const name = `${list} by ${label} (${hits} hits)`;
    const pageMs = await measureMedianMs(10, (index) => page(index, 1));
    const countMs = await measureMedianMs(10, (index) => page(index, 0));
    figures.push(
      figure(`${name}, a page`, pageMs, 'ms', limits.page, { others: peers.contains }),
      figure(`${name}, first page with its count`, countMs, 'ms', limits.count),
    );
  }
  return figures;
}

/** Measures the first rows while a user types; the total is requested separately. */
async function measureTyping(list: List, read: Read): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { label, texts, sort } of typedCases[list]) {
    let slowestMs = 0;
    for (const search of texts) {
      const query = { limit: 100, part: 'rows', search, ...(sort && { sort, direction: 'asc' }) };
      slowestMs = Math.max(slowestMs, await measureMedianMs(10, () => read(paths[list], query)));
    }
    figures.push(figure(`${list}: ${label}, first rows`, slowestMs, 'ms', limits.typed));
  }
  const countMs = await measureMedianMs(10, () => read(countPaths[list]));
  return [...figures, figure(`${list}: all groups counted`, countMs, 'ms', limits.page)];
}

async function measureExports(site: LoadedSite): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const list of lists)
    for (const format of ['csv', 'xlsx']) {
      let seconds = 0;
      const growth = await measureGrowth(site, async () => {
        const startedAt = performance.now();
        const response = await fetch(`${site.url}${paths[list]}/export`, {
          method: 'POST',
          headers: { authorization: `Bearer ${site.tokens[0]}`, 'content-type': 'application/json' },
          body: JSON.stringify({ format }),
        });
        if (!response.ok || !response.body) throw new Error(await response.text());
        await pipeline(Readable.fromWeb(response.body), createWriteStream('/dev/null'));
        seconds = (performance.now() - startedAt) / 1000;
      });
      figures.push(
        figure(`export of all ${list} as ${format}`, seconds, 's', atMost(20)),
        figure(`the server's memory meanwhile, growth (${format} of ${list})`, growth, 'MB', atMost(50)),
      );
    }
  return figures;
}

const late = 'found late in the order';
const typedCases: Record<List, { label: string; texts: string[]; sort?: string }[]> = {
  people: [
    { label: 'two letters typed', texts: ['an', 'ba', 'so', 'zo', 'm'] },
    { label: 'unknown letters', texts: ['zq', 'q', 'zqx'] },
    { label: late, texts: ['zo', 'zoe', 'willa'], sort: 'displayName' },
    { label: `by their address, ${late}`, texts: ['zo', 'zoe', 'willa'], sort: 'email' },
    { label: `by one letter, ${late}`, texts: ['z'], sort: 'displayName' },
    {
      label: 'several words',
      texts: ['anna schmidt', 'Schmidt, Anna', 'an sch', 'zoe example.com', 'zoe q'],
    },
  ],
  invitations: [
    { label: 'two letters typed', texts: ['so', 'in', '@e'] },
    { label: 'unknown letters', texts: ['zq', 'q', 'zqx'] },
    { label: late, texts: ['invited.9999', 'so'], sort: 'email' },
  ],
};

const contains = (column: string, text: string): Filter => ({ column, is: 'contains', text });
const secondsAgo = (index: number) => new Date(Date.now() - index * 1_000).toISOString();

/**
 * Every `index` results in a different filter, so that no cached total is used. Filters by a fixed value become unique by an additional
 * unknown value.
 */
const filterCases: { list: List; label: string; filter: (index: number) => Filter }[] = [
  {
    list: 'people',
    label: 'a rare part of the address',
    filter: (index) => contains('email', `.${index * 37 + 42}@`),
  },
  {
    list: 'people',
    label: 'a common surname',
    filter: (index) => contains('displayName', lastNames[index % lastNames.length] ?? ''),
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
  ...(['pending', 'opened', 'expired', 'redeemed'] as const).map((status) => ({
    list: 'invitations' as const,
    label: `the status ${status}`,
    filter: (index: number): Filter => ({
      column: 'status',
      is: 'oneOf',
      values: [status, `no status ${index}`],
    }),
  })),
  {
    list: 'invitations',
    label: 'who invited',
    filter: (index) => contains('createdBy', `admin${index % 5}`),
  },
];
