/** Measures pages of 50 people: first page with total, far pages, each sort column, and searches. One request at a time. */
import { listPeople } from '@vestibule/contract/people';
import type { RouteRequest, RouteResult } from '@vestibule/contract/route';
import type { Figure } from '../report/figure.ts';
import { measureMedianMs } from '../harness/http-load.ts';
import { options } from '../report/options.ts';
import { peers } from '../report/peers.ts';
import { lastNames } from '../harness/seed-people.ts';
import { runOnBenchSite, type BenchSite } from '../harness/bench-site.ts';

type Query = RouteRequest<typeof listPeople>['query'];
const columns = ['email', 'displayName', 'role', 'status', 'joinedAt', 'lastSeenAt'] as const;
const repetitions = 100;
const firstLimit = { limit: { at: 'most', value: 15 } } as const;
const farLimit = { limit: { at: 'most', value: 150 } } as const;

export async function measurePeoplePage({ url, tokens }: BenchSite): Promise<Figure[]> {
  const list = async (query: Query): Promise<RouteResult<typeof listPeople>> => {
    const answer = await fetch(
      `${url}${listPeople.path}?${new URLSearchParams(query as Record<string, string>).toString()}`,
      {
        headers: { authorization: `Bearer ${tokens[0]}` },
      },
    );
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as RouteResult<typeof listPeople>;
  };
  const measure = (query: Query, count = repetitions) => measureMedianMs(count, () => list(query));
  const formatOffset = (offset: number) => `offset ${offset.toLocaleString('en-US')}`;
  const far = Math.floor(options.people * 0.9);
  // The server reads far pages from the nearer end, so the middle is the slowest.
  const middle = Math.floor(options.people * 0.5);

  const figures: Figure[] = [
    {
      name: `people, ${formatOffset(far)}, total not counted yet`,
      measured: await measure({ offset: far }, 20),
      unit: 'ms',
      ...farLimit,
      peers: peers.farPage,
    },
  ];
  const countedAt = performance.now();
  const { total } = await list({});
  figures.push(
    {
      name: `people, first page while the total (${total?.toLocaleString('en-US')}) is counted`,
      measured: performance.now() - countedAt,
      unit: 'ms',
    },
    {
      name: 'people, first page with total',
      measured: await measure({}),
      unit: 'ms',
      ...firstLimit,
      peers: peers.firstPage,
    },
    {
      name: `people, ${formatOffset(far)}`,
      measured: await measure({ offset: far }, 20),
      unit: 'ms',
      ...farLimit,
    },
    {
      name: `people, ${formatOffset(middle)}`,
      measured: await measure({ offset: middle }, 20),
      unit: 'ms',
      ...farLimit,
    },
  );
  for (const sort of columns) {
    const measureSlowerDirection = async (offset: number, count: number) =>
      Math.max(
        await measure({ sort, direction: 'asc', offset }, count),
        await measure({ sort, direction: 'desc', offset }, count),
      );
    figures.push(
      {
        name: `people by ${sort}, first page, slower direction`,
        measured: await measureSlowerDirection(0, 30),
        unit: 'ms',
        ...firstLimit,
      },
      {
        name: `people by ${sort}, ${formatOffset(middle)}, slower direction`,
        measured: await measureSlowerDirection(middle, 5),
        unit: 'ms',
        ...farLimit,
      },
    );
  }
  for (const { label, search, hasLimit } of searches) {
    const { total: hits } = await list({ search: search(0) });
    figures.push({
      name: `people containing ${label}, such as "${search(0)}" (${hits} hits)`,
      measured: await measureMedianMs(20, (index) => list({ search: search(index) })),
      unit: 'ms',
      ...(hasLimit && { limit: { at: 'most', value: 60 } as const, peers: peers.contains }),
    });
  }
  return figures;
}

/** `index` increases, so that no cached total is used. */
const searches: { label: string; search: (index: number) => string; hasLimit: boolean }[] = [
  { label: 'a number', search: (index) => `-${fourDigits(index)}`, hasLimit: true },
  {
    label: 'a full surname',
    search: (index) => `${pickName(lastNames, index)}-${fourDigits(index)}`,
    hasLimit: true,
  },
  { label: 'an unknown name', search: (index) => `zzq${fourDigits(index)}`, hasLimit: true },
  { label: 'a common surname', search: (index) => pickName(lastNames, index), hasLimit: true },
  // Two letters have no trigram: counting them reads all rows.
  { label: 'two letters', search: (index) => pickName(lastNames, index).slice(1, 3), hasLimit: false },
];

const fourDigits = (index: number) => String((index * 37 + 42) % 10_000).padStart(4, '0');
const pickName = (names: string[], index: number) => (names[index % names.length] as string).toLowerCase();

if (import.meta.main) await runOnBenchSite(measurePeoplePage);
