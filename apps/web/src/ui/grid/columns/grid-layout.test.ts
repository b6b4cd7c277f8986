import { describe, expect, test } from 'vitest';
import type { GridColumn } from './grid-column.ts';
import { changeColumn, layoutOf, moveColumn, placeColumns, exportColumns } from './grid-layout.ts';

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
