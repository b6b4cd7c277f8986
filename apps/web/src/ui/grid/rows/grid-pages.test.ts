import { expect, test, vi } from 'vitest';
import { GridPages, type GridPage, type PagesState } from './grid-pages.ts';
import type { GridQuery } from './grid-query.ts';

type Row = { id: number };
const full = Array.from({ length: 100 }, (_, id) => ({ id }));

/** A list whose counting takes as long as the test wants. */
function listed() {
  const counting: ((total: number) => void)[] = [];
  const told: PagesState[] = [];
  const queries: GridQuery[] = [];
  const fetchPage = async (query: GridQuery): Promise<GridPage<Row>> => {
    queries.push(query);
    return { rows: full, count: () => new Promise((resolve) => counting.push(resolve)) };
  };
  const pages = new GridPages<Row>(fetchPage, (state) => told.push(state));
  const load = () => {
    const succeed = vi.fn<(rows: Row[], total: number | undefined) => void>();
    return pages
      .load({ offset: 0, limit: 100, sort: undefined, succeed, fail: () => {} })
      .then(() => succeed.mock.calls[0]);
  };
  return { pages, load, counting, told, queries };
}
const asked = { tab: undefined, search: '', filters: [] };

test('rows are there before they are counted (J2)', async () => {
  const { load, counting, told } = listed();
  expect(await load()).toEqual([full, undefined]);
  expect(told).toEqual([{ total: undefined, failure: undefined }]);
  counting[0]?.(12_345);
  await vi.waitFor(() => expect(told.at(-1)).toEqual({ total: 12_345, failure: undefined, counted: 12_345 }));
});

test('a number that comes too late is not that of another question (J2)', async () => {
  const { pages, load, counting, told } = listed();
  await load();
  counting[0]?.(12_345);
  await vi.waitFor(() => expect(told.at(-1)?.total).toBe(12_345));
  // The same again: what was counted stands until it is counted anew.
  pages.restart();
  expect(await load()).toEqual([full, 12_345]);
  expect(pages.total).toBe(12_345);
  pages.ask({ ...asked, search: 'an' });
  expect(pages.total).toBeUndefined();
  expect(await load()).toEqual([full, undefined]);
  counting[1]?.(99);
  counting[2]?.(7);
  await vi.waitFor(() => expect(told.at(-1)?.total).toBe(7));
  expect(told.map(({ counted }) => counted)).not.toContain(99);
});

test('all that match are waited for, unless others are asked for meanwhile (J2)', async () => {
  const { pages, load, counting } = listed();
  const counted = [pages.counted];
  await load();
  pages.ask({ ...asked, search: 'an' });
  counted.push(pages.counted);
  await load();
  counting[0]?.(12_345);
  counting[1]?.(7);
  expect(await Promise.all(counted)).toEqual([undefined, 7]);
  expect(await pages.counted).toBe(7);
});

test('a tab is a group that the server is asked for, beside the filters (K2)', async () => {
  const { pages, load, queries } = listed();
  const filters = [{ column: 'role', is: 'oneOf' as const, values: ['admin'] }];
  expect(pages.ask({ ...asked, tab: 'waiting', filters })).toBe(true);
  expect(pages.ask({ ...asked, tab: 'waiting', filters })).toBe(false);
  await load();
  expect(queries[0]?.filters).toEqual([{ column: 'group', is: 'oneOf', values: ['waiting'] }, ...filters]);
});

test('each value of a column is counted beside everything else that is asked, but not beside the others of its column (K3)', async () => {
  const { pages, queries, counting } = listed();
  const active = { column: 'status', is: 'oneOf' as const, values: ['active'] };
  pages.ask({
    tab: 'new',
    search: 'ann',
    filters: [active, { column: 'role', is: 'oneOf', values: ['admin'] }],
  });
  const counted = pages.countValues('role', ['admin', 'member'], new AbortController().signal);
  await vi.waitFor(() => expect(counting).toHaveLength(2));
  for (const [index, count] of counting.entries()) count(index * 7);
  expect([...(await counted)]).toEqual([
    ['admin', 0],
    ['member', 7],
  ]);
  expect(queries[1]).toEqual({
    offset: 0,
    limit: 0,
    search: 'ann',
    filters: [
      { column: 'group', is: 'oneOf', values: ['new'] },
      active,
      { column: 'role', is: 'oneOf', values: ['member'] },
    ],
  });
});
