import { describe, expect, test, vi } from 'vitest';
import { RowSelection, singleRowsMaximum, rowsAsText } from './grid-selection.ts';
import type { GridColumn } from './grid-column.ts';

type Row = {
  id: string;
  name?: string;
};
const rows = (count: number, from = 0): Row[] =>
  Array.from({ length: count }, (_, index) => ({ id: String(from + index) }));
const createSelection = () => new RowSelection<Row>();

describe('RowSelection', () => {
  test('selected rows are listed by id, with their latest data (J2)', () => {
    const selection = createSelection();
    selection.set(rows(3), true);
    selection.set(rows(1, 1), false);
    selection.refreshRow({ id: '2', name: 'new' });
    selection.refreshRow({ id: '9', name: 'not selected' });
    expect(selection.selected()).toMatchObject({
      selection: { ids: ['0', '2'] },
      count: 2,
      rows: [{ id: '0' }, { id: '2', name: 'new' }],
    });
    expect([selection.has({ id: '1' }), selection.has({ id: '2' })]).toEqual([false, true]);
  });

  test('`add` adds none of the rows if the selection would exceed the maximum (J2)', () => {
    const selection = createSelection();
    expect(selection.set(rows(singleRowsMaximum), true)).toBe(true);
    expect(selection.set(rows(2, singleRowsMaximum - 1), true)).toBe(false);
    expect(selection.set(rows(1), true)).toBe(true);
    expect(selection.summary().count).toBe(singleRowsMaximum);
  });

  test('a selection of all matching rows contains the search and the filters (J2)', () => {
    const selection = createSelection();
    selection.set(rows(1), true);
    selection.selectAll({ search: 'ann', filters: [{ column: 'role', is: 'filled' }] }, 12_345);
    expect(selection.selected()).toMatchObject({
      selection: { all: { search: 'ann', filters: [{ column: 'role', is: 'filled' }], total: 12_345 } },
      count: 12_345,
      rows: [],
    });
    expect(selection.has({ id: 'any' })).toBe(true);
  });

  test('rows deselected after selecting all matching rows are listed as exceptions, up to the maximum (J2)', () => {
    const selection = createSelection();
    selection.selectAll({ search: 'ann' }, 100_000);
    expect(selection.set(rows(2), false)).toBe(true);
    expect(selection.selected()).toMatchObject({
      selection: { all: { search: 'ann', except: ['0', '1'], total: 100_000 } },
      count: 99_998,
      rows: [],
    });
    expect(selection.summary()).toEqual({ count: 99_998, all: true, except: 2 });
    expect([selection.has({ id: '1' }), selection.has({ id: '2' })]).toEqual([false, true]);
    selection.set(rows(1, 1), true);
    expect(selection.has({ id: '1' })).toBe(true);
    expect(selection.set(rows(singleRowsMaximum, 1), false)).toBe(false);
    expect(selection.summary()).toEqual({ count: 99_999, all: true, except: 1 });
    selection.set(rows(1), true);
    expect(selection.selected().selection).toEqual({ all: { search: 'ann', total: 100_000 } });
  });

  test('deselecting all matching rows clears the selection (J2)', () => {
    const selection = createSelection();
    selection.selectAll({}, 2);
    selection.set(rows(2), false);
    expect(selection.summary()).toEqual({ count: 0, all: false, except: 0 });
    selection.set(rows(1), true);
    expect(selection.selected().selection).toEqual({ ids: ['0'] });
  });

  test('listeners are called for changes only (J2)', () => {
    const selection = createSelection();
    const listener = vi.fn<() => void>();
    const stop = selection.subscribe(listener);
    selection.clear();
    expect(listener).not.toHaveBeenCalled();
    selection.set(rows(1), true);
    const before = selection.summary();
    expect(selection.summary()).toBe(before);
    selection.selected().clear();
    expect(listener).toHaveBeenCalledTimes(2);
    stop();
    selection.set(rows(1), true);
    expect(listener).toHaveBeenCalledTimes(2);
  });

  test('`clear` of an action deselects only the rows that were selected when the action started', () => {
    const selection = createSelection();
    selection.set(rows(2), true);
    const { clear } = selection.selected();
    selection.set(rows(3), true);
    clear();
    expect(selection.summary().count).toBe(1);
    selection.selectAll({}, 5);
    clear();
    expect(selection.summary()).toMatchObject({ count: 5, all: true });
  });
});

describe('rowsAsText', () => {
  test('separates cells by tabs, quotes special characters and escapes formulas (J2, security 43)', () => {
    const columns: GridColumn<[string, number | null]>[] = [
      { id: 'name', title: 'Name', kind: 'text', text: ([name]) => name },
      { id: 'count', title: 'Count', kind: 'number', number: ([, count]) => count },
    ];
    const cells: [string, number | null][] = [
      ['plain', 1],
      ['a\tb', null],
      ['say "hi"\nto all', 3],
      ['=1+1', -2],
    ];
    expect(rowsAsText(columns, cells)).toBe('plain\t1\n"a\tb"\t\n"say ""hi""\nto all"\t3\n\'=1+1\t-2');
  });
});
