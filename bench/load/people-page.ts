/** The page of 50 people: first with total, far, sorted by each column, and searched. One question at a time. */
import { listPeople } from '@vestibule/contract/people';
import type { RouteRequest, RouteResult } from '@vestibule/contract/route';
import type { Figure } from '../report/figure.ts';
import { medianMilliseconds } from '../harness/http-load.ts';
import { options } from '../report/options.ts';
import { peers } from '../report/peers.ts';
import { lastNames } from '../harness/seed-people.ts';
import { runOnStage, type Stage } from '../harness/bench-site.ts';

type Query = RouteRequest<typeof listPeople>['query'];
const columns = ['email', 'displayName', 'role', 'status', 'joinedAt', 'lastSeenAt'] as const;
const times = 100;
const firstLimit = { limit: { at: 'most', value: 15 } } as const;
const farLimit = { limit: { at: 'most', value: 150 } } as const;

export async function measurePeoplePage({ url, tokens }: Stage): Promise<Figure[]> {
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
  const time = (query: Query, count = times) => medianMilliseconds(count, () => list(query));
  const named = (offset: number) => `offset ${offset.toLocaleString('en-US')}`;
  const far = Math.floor(options.people * 0.9);
  // The server reads a far page from the nearer end once it knows the total, so the middle is the worst.
  const middle = Math.floor(options.people * 0.5);

  const figures: Figure[] = [
    {
      name: `people, ${named(far)}, total not counted yet`,
      measured: await time({ offset: far }, 20),
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
      measured: await time({}),
      unit: 'ms',
      ...firstLimit,
      peers: peers.firstPage,
    },
    { name: `people, ${named(far)}`, measured: await time({ offset: far }, 20), unit: 'ms', ...farLimit },
    {
      name: `people, ${named(middle)}`,
      measured: await time({ offset: middle }, 20),
      unit: 'ms',
      ...farLimit,
    },
  );
  for (const sort of columns) {
    const slower = async (offset: number, count: number) =>
      Math.max(
        await time({ sort, direction: 'asc', offset }, count),
        await time({ sort, direction: 'desc', offset }, count),
      );
    figures.push(
      {
        name: `people by ${sort}, first page, slower direction`,
        measured: await slower(0, 30),
        unit: 'ms',
        ...firstLimit,
      },
      {
        name: `people by ${sort}, ${named(middle)}, slower direction`,
        measured: await slower(middle, 5),
        unit: 'ms',
        ...farLimit,
      },
    );
  }
  for (const { what, search, limited } of searches) {
    const { total: hits } = await list({ search: search(0) });
    figures.push({
      name: `people containing ${what}, such as "${search(0)}" (${hits} hits)`,
      measured: await medianMilliseconds(20, (index) => list({ search: search(index) })),
      unit: 'ms',
      ...(limited && { limit: { at: 'most', value: 60 } as const, peers: peers.contains }),
    });
  }
  return figures;
}

/** Each question is a new one (`index` rises), so that no remembered total answers it. */
const searches: { what: string; search: (index: number) => string; limited: boolean }[] = [
  { what: 'a number', search: (index) => `-${fourDigits(index)}`, limited: true },
  {
    what: 'a full surname',
    search: (index) => `${pick(lastNames, index)}-${fourDigits(index)}`,
    limited: true,
  },
  { what: 'what nobody is called', search: (index) => `zzq${fourDigits(index)}`, limited: true },
  { what: 'a common surname', search: (index) => pick(lastNames, index), limited: true },
  // Two letters have no trigram: nothing but reading all people can count them.
  { what: 'two letters', search: (index) => pick(lastNames, index).slice(1, 3), limited: false },
];

const fourDigits = (index: number) => String((index * 37 + 42) % 10_000).padStart(4, '0');
const pick = (names: string[], index: number) => (names[index % names.length] as string).toLowerCase();

if (import.meta.main) await runOnStage(measurePeoplePage);
