import { describe, expect, test } from 'vitest';
import type { GridColumn } from './grid-column.ts';
import {
  autoPinnedWidthOf,
  changeColumn,
  layoutOf,
  moveColumn,
  placeColumns,
  exportColumns,
  isCrowded,
  findAutoPinned,
  minColumnWidth,
  placedFromState,
} from './grid-layout.ts';

const column = (id: string, hidden = false): GridColumn<string> => ({
  id,
  title: id,
  kind: 'text',
  text: (row) => row,
  ...(hidden && { hidden }),
});
const columns = [column('a'), column('b'), column('c', true)];
const ids = (placed: { column: { id: string } }[]) => placed.map((entry) => entry.column.id).join('');

describe('grid layout', () => {
  test('placeColumns uses the stored order, appends new columns and drops unknown ones (J2)', () => {
    const placed = placeColumns(columns, {
      columns: [{ id: 'gone' }, { id: 'b', width: 200.4 }, { id: 'a', hidden: true }],
    });
    expect(ids(placed)).toBe('bac');
    expect(layoutOf(placed, false)).toEqual({
      columns: [
        { id: 'b', width: 200 },
        { id: 'a', hidden: true },
        { id: 'c', hidden: true },
      ],
    });
    expect(placeColumns(columns, layoutOf(placeColumns(columns, null), false))).toEqual(
      placeColumns(columns, null),
    );
  });

  test('placeColumns ignores a layout that hides all columns (J2)', () => {
    const nothing = { columns: columns.map(({ id }) => ({ id, hidden: true })) };
    expect(placeColumns(columns, nothing)).toEqual(placeColumns(columns, null));
  });

  test('a pinned column precedes the others and moves among pinned columns only (J2)', () => {
    const placed = changeColumn(placeColumns(columns, null), 'b', { pinned: true });
    expect(ids(placed)).toBe('bac');
    expect(ids(moveColumn(placed, 'a', -1))).toBe('bac');
    expect(ids(moveColumn(placed, 'a', 1))).toBe('bca');
    expect(ids(moveColumn(placed, 'c', 1))).toBe('bac');
  });

  test('exports include name and address as two columns if they share a cell (J2)', () => {
    const person: GridColumn<string> = {
      id: 'person',
      title: 'Person',
      kind: 'person',
      text: (row) => row,
      person: () => null,
      shows: 'c',
    };
    const placed = placeColumns([person, ...columns], null);
    expect(exportColumns(placed).map(({ id }) => id)).toEqual(['person', 'c', 'a', 'b']);
    // A visible address column keeps its own position.
    const shown = changeColumn(placed, 'c', { hidden: false });
    expect(exportColumns(shown).map(({ id }) => id)).toEqual(['person', 'a', 'b', 'c']);
    const without = changeColumn(placed, 'person', { hidden: true });
    expect(exportColumns(without).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  test('layoutOf stores the row height (J2)', () => {
    const placed = placeColumns(columns, null);
    expect(layoutOf(placed, true)).toMatchObject({ density: 'compact' });
    expect(layoutOf(placed, false)).not.toHaveProperty('density');
  });
});

const person: GridColumn<string> = {
  id: 'name',
  title: 'Name',
  kind: 'person',
  text: (row) => row,
  person: (row) => ({ id: row, name: row, email: '' }),
};
const text = (id: string): GridColumn<string> => ({ id, title: id, kind: 'text', text: (row) => row });
const placed = placeColumns([person, text('role'), text('from')], null);
const columnState = (id: string, width: number, pinned: 'left' | null = null, flex: number | null = 1) => ({
  colId: id,
  hide: false,
  width,
  pinned,
  flex,
});

describe('column widths', () => {
  test('a column is wide enough for its title and filter button in any language (J2)', () => {
    const date = { ...text('at'), kind: 'date-time', time: () => null, minWidth: 160 } as const;
    expect(minColumnWidth({ ...date, title: 'When' })).toBe(160);
    expect(minColumnWidth({ ...date, title: 'Letzte Anmeldung' })).toBeGreaterThanOrEqual(185);
  });

  test('isCrowded compares the minimum widths of visible columns with the available width (J2)', () => {
    expect(isCrowded(placed, 594, false)).toBe(false);
    expect(isCrowded(placed, 593, false)).toBe(true);
    expect(isCrowded(placed, 594, true)).toBe(true);
    expect(isCrowded(changeColumn(placed, 'from', { hidden: true }), 500, false)).toBe(false);
  });

  test('the person column is pinned while columns are crowded, if it is the first one (J2)', () => {
    expect(findAutoPinned(placed, true)?.column.id).toBe('name');
    expect(findAutoPinned(placed, false)).toBeUndefined();
    expect(findAutoPinned(placeColumns([text('role'), person], null), true)).toBeUndefined();
  });

  test("automatic pinning is not stored as the user's choice; a changed width is stored (J2)", () => {
    const others = [columnState('role', 140), columnState('from', 200, null, null)];
    expect(autoPinnedWidthOf(600)).toBeLessThan(autoPinnedWidthOf(960));
    for (const width of [autoPinnedWidthOf(600), autoPinnedWidthOf(960)]) {
      const unchanged = placedFromState([columnState('name', width, 'left', null), ...others], placed, true);
      expect(unchanged[0]).toEqual({ column: person, hidden: false, pinned: false });
      expect(unchanged[2]).toMatchObject({ width: 200 });
    }
    const resized = placedFromState([columnState('name', 400, 'left', null), ...others], placed, true);
    expect(resized[0]).toEqual({ column: person, hidden: false, pinned: false, width: 400 });
    const chosen = placedFromState([columnState('name', 300, 'left', null), ...others], placed, false);
    expect(chosen[0]).toEqual({ column: person, hidden: false, pinned: true, width: 300 });
  });
});
