import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { GridPages, type GridPage, type PagesState } from './grid-pages.ts';
import type { GridPageRequest } from './grid-query.ts';

type Row = { id: number };
const full = Array.from({ length: 100 }, (_, id) => ({ id }));

/** Returns pages whose counts the test resolves. */
function createList() {
  const counting: ((total: number) => void)[] = [];
  const states: PagesState[] = [];
  const requests: GridPageRequest[] = [];
  const fetchPage = async (request: GridPageRequest): Promise<GridPage<Row>> => {
    requests.push(request);
    return {
      rows: full,
      count: () => new Promise((resolve) => counting.push(resolve)),
      estimate: () => Promise.resolve(12_000),
    };
  };
  const pages = new GridPages<Row>(fetchPage, (state) => states.push(state));
  const load = () => {
    const succeed = vi.fn<(rows: Row[], total: number | undefined) => void>();
    return pages
      .load({ offset: 0, limit: 100, sort: undefined, succeed, fail: () => {} })
      .then(() => succeed.mock.calls[0]);
  };
  return { pages, load, counting, states, requests };
}
const noFilter = { tab: undefined, search: '', filters: [] };

describe('GridPages', () => {
  test('load returns rows before the total is counted (J2)', async () => {
    const { load, counting, states } = createList();
    expect(await load()).toEqual([full, undefined]);
    expect(states).toEqual([{ total: undefined, failure: undefined }]);
    counting[0]?.(12_345);
    await expect.poll(() => states.at(-1)).toEqual({ total: 12_345, failure: undefined, counted: 12_345 });
  });

  test('an estimate is reported while counting takes longer than 300 ms (J2)', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { pages, load, counting, states } = createList();
    await load();
    await vi.advanceTimersByTimeAsync(299);
    expect(states.at(-1)?.estimate).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(states.at(-1)).toEqual({ estimate: 12_000 });
    counting[0]?.(12_345);
    await vi.advanceTimersByTimeAsync(0);
    expect(states.at(-1)).toEqual({ total: 12_345, counted: 12_345 });
    // A total that arrives earlier makes the estimate unnecessary.
    pages.setFilter({ ...noFilter, search: 'an' });
    await load();
    counting[1]?.(7);
    await vi.advanceTimersByTimeAsync(300);
    expect(states.map(({ estimate }) => estimate).filter(Boolean)).toEqual([12_000]);
  });

  test('a count that arrives after the filters changed is ignored (J2)', async () => {
    const { pages, load, counting, states } = createList();
    await load();
    counting[0]?.(12_345);
    await expect.poll(() => states.at(-1)?.total).toBe(12_345);
    // The filters have not changed: the old total is used until the new one is counted.
    pages.restart();
    expect(await load()).toEqual([full, 12_345]);
    expect(pages.total).toBe(12_345);
    pages.setFilter({ ...noFilter, search: 'an' });
    expect(pages.total).toBeUndefined();
    expect(await load()).toEqual([full, undefined]);
    counting[1]?.(99);
    counting[2]?.(7);
    await expect.poll(() => states.at(-1)?.total).toBe(7);
    expect(states.map(({ counted }) => counted)).not.toContain(99);
  });

  test('counted resolves with the total, or undefined if the filters change before that (J2)', async () => {
    const { pages, load, counting } = createList();
    const counted = [pages.counted];
    await load();
    pages.setFilter({ ...noFilter, search: 'an' });
    counted.push(pages.counted);
    await load();
    counting[0]?.(12_345);
    counting[1]?.(7);
    expect(await Promise.all(counted)).toEqual([undefined, 7]);
    expect(await pages.counted).toBe(7);
  });

  test('a tab adds a group condition to the filters (K2)', async () => {
    const { pages, load, requests } = createList();
    const filters = [{ column: 'role', is: 'oneOf' as const, values: ['admin'] }];
    expect(pages.setFilter({ ...noFilter, tab: 'waiting', filters })).toBe(true);
    expect(pages.setFilter({ ...noFilter, tab: 'waiting', filters })).toBe(false);
    await load();
    expect(requests[0]?.filters).toEqual([{ column: 'group', is: 'oneOf', values: ['waiting'] }, ...filters]);
  });

  test('countValues applies the search, the tab and the filters of all other columns (K3)', async () => {
    const { pages, requests, counting } = createList();
    const active = { column: 'status', is: 'oneOf' as const, values: ['active'] };
    pages.setFilter({
      tab: 'new',
      search: 'ann',
      filters: [active, { column: 'role', is: 'oneOf', values: ['admin'] }],
    });
    const counted = pages.countValues('role', ['admin', 'member'], new AbortController().signal);
    await expect.poll(() => counting).toHaveLength(2);
    for (const [index, count] of counting.entries()) count(index * 7);
    expect([...(await counted)]).toEqual([
      ['admin', 0],
      ['member', 7],
    ]);
    expect(requests[1]).toEqual({
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
});
