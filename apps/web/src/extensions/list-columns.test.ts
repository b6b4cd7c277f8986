import { expect, test, vi } from 'vitest';
import type { GridPage, GridRow } from '../ui/grid/grid-pages.ts';
import { createListColumns } from './list-columns.ts';

const fetchPage =
  (...ids: string[]) =>
  () =>
    Promise.resolve<GridPage<GridRow>>({ rows: ids.map((id) => ({ id })), total: 9 });
const request = { offset: 0, limit: 50, search: '', filters: [] };
const { signal } = new AbortController();

type Load = (ids: readonly string[], signal: AbortSignal) => Promise<Record<string, string>>;

function listWithColumn(load: Load) {
  const column = { list: 'organizations', id: 'plan', label: { id: 'Plan' }, load } as const;
  return createListColumns([{ name: 'billing', columns: [column] }, { name: 'other' }]);
}

test('the texts of a page are loaded by one call, and belong to the list of the column', async () => {
  const load = vi.fn<Load>(() => Promise.resolve({ a: 'Gold' }));
  const { withColumns, withValues } = listWithColumn(load);
  const { rows, total } = await withValues('organizations', fetchPage('a', 'b'))(request, signal);
  expect(load.mock.calls).toEqual([[['a', 'b'], signal]]);
  expect(total).toBe(9);
  const [column] = withColumns('organizations', []);
  expect(column).toMatchObject({ title: 'Plan', sortable: false, exported: false });
  expect(rows.map((row) => column?.kind === 'text' && column.text(row as never))).toEqual(['Gold', '']);
  expect(withColumns('people', [])).toEqual([]);
  expect(await withValues('people', fetchPage('a'))(request, signal)).toEqual({
    rows: [{ id: 'a' }],
    total: 9,
  });
});

test('nothing is loaded for a page without rows', async () => {
  const load = vi.fn<Load>(() => Promise.resolve({}));
  expect(await listWithColumn(load).withValues('organizations', fetchPage())(request, signal)).toEqual({
    rows: [],
    total: 9,
  });
  expect(load).not.toHaveBeenCalled();
});

test.each<[string, () => unknown]>([
  ['rejects', () => Promise.reject(new Error('No plans.'))],
  [
    'throws',
    () => {
      throw new Error('No plans.');
    },
  ],
  ['returns nothing', () => undefined],
])('a page is shown without the texts of a column that %s', async (_, load) => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  const { withValues } = listWithColumn(load as Load);
  const { rows } = await withValues('organizations', fetchPage('a'))(request, signal);
  expect(rows).toEqual([{ id: 'a' }]);
  expect(log).toHaveBeenCalledOnce();
  log.mockRestore();
});
