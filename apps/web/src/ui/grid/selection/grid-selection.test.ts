import { expect, test, vi } from 'vitest';
import { RowSelection, singleRowsMaximum } from './grid-selection.ts';

type Row = {
  id: string;
  name?: string;
};
const rows = (count: number, from = 0): Row[] =>
  Array.from({ length: count }, (_, index) => ({ id: String(from + index) }));
const make = () => new RowSelection<Row>();

test('single rows are an id each, whatever has been fetched again since (J2)', () => {
  const selection = make();
  selection.add(rows(3));
  selection.remove(rows(1, 1));
  selection.renew({ id: '2', name: 'new' });
  selection.renew({ id: '9', name: 'not selected' });
  expect(selection.selected()).toMatchObject({
    selection: { ids: ['0', '2'] },
    count: 2,
    rows: [{ id: '0' }, { id: '2', name: 'new' }],
  });
  expect([selection.has({ id: '1' }), selection.has({ id: '2' })]).toEqual([false, true]);
});

test('more single rows than the server takes are refused whole (J2)', () => {
  const selection = make();
  expect(selection.add(rows(singleRowsMaximum))).toBe(true);
  expect(selection.add(rows(2, singleRowsMaximum - 1))).toBe(false);
  expect(selection.add(rows(1))).toBe(true);
  expect(selection.summary().count).toBe(singleRowsMaximum);
});

test('all that match carry the question they were asked for (J2)', () => {
  const selection = make();
  selection.add(rows(1));
  selection.selectAll({ search: 'ann', filters: [{ column: 'role', is: 'filled' }] }, 12_345);
  expect(selection.selected()).toMatchObject({
    selection: { all: { search: 'ann', filters: [{ column: 'role', is: 'filled' }], total: 12_345 } },
    count: 12_345,
    rows: [],
  });
  expect(selection.has({ id: 'any' })).toBe(true);
});

test('all that match but some carry those too, at most as many as the server takes (J2)', () => {
  const selection = make();
  selection.selectAll({ search: 'ann' }, 100_000);
  expect(selection.remove(rows(2))).toBe(true);
  expect(selection.selected()).toMatchObject({
    selection: { all: { search: 'ann', except: ['0', '1'], total: 100_000 } },
    count: 99_998,
    rows: [],
  });
  expect(selection.summary()).toEqual({ count: 99_998, all: true, except: 2 });
  expect([selection.has({ id: '1' }), selection.has({ id: '2' })]).toEqual([false, true]);
  selection.add(rows(1, 1));
  expect(selection.has({ id: '1' })).toBe(true);
  expect(selection.remove(rows(singleRowsMaximum, 1))).toBe(false);
  expect(selection.summary()).toEqual({ count: 99_999, all: true, except: 1 });
  selection.add(rows(1));
  expect(selection.selected().selection).toEqual({ all: { search: 'ann', total: 100_000 } });
});

test('all of them left out is nothing selected (J2)', () => {
  const selection = make();
  selection.selectAll({}, 2);
  selection.remove(rows(2));
  expect(selection.summary()).toEqual({ count: 0, all: false, except: 0 });
  selection.add(rows(1));
  expect(selection.selected().selection).toEqual({ ids: ['0'] });
});

test('listeners hear of a change and not of none (J2)', () => {
  const selection = make();
  const heard = vi.fn<() => void>();
  const stop = selection.subscribe(heard);
  selection.clear();
  selection.remove(rows(1, 1));
  expect(heard).not.toHaveBeenCalled();
  selection.add(rows(1));
  const before = selection.summary();
  expect(selection.summary()).toBe(before);
  selection.selected().clear();
  expect(heard).toHaveBeenCalledTimes(2);
  stop();
  selection.add(rows(1));
  expect(heard).toHaveBeenCalledTimes(2);
});

test('what is ticked while something is done to the others stays ticked', () => {
  const selection = make();
  selection.add(rows(2));
  const { clear } = selection.selected();
  selection.add(rows(3));
  clear();
  expect(selection.summary().count).toBe(1);
  selection.selectAll({}, 5);
  clear();
  expect(selection.summary()).toMatchObject({ count: 5, all: true });
});
