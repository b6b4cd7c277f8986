import { describe, expect, test } from 'vitest';
import { isCrowded, findAutoPinned, autoPinWidth, minColumnWidth, placedFromState } from './column-widths.ts';
import type { GridColumn } from './grid-column.ts';
import { changeColumn, placeColumns } from './grid-layout.ts';

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
    expect(isCrowded(placed, 610, false)).toBe(false);
    expect(isCrowded(placed, 609, false)).toBe(true);
    expect(isCrowded(placed, 610, true)).toBe(true);
    expect(isCrowded(changeColumn(placed, 'from', { hidden: true }), 500, false)).toBe(false);
  });

  test('the person column is pinned while columns are crowded, if it is the first one (J2)', () => {
    expect(findAutoPinned(placed, true)?.column.id).toBe('name');
    expect(findAutoPinned(placed, false)).toBeUndefined();
    expect(findAutoPinned(placeColumns([text('role'), person], null), true)).toBeUndefined();
  });

  test("automatic pinning is not stored as the user's choice; a changed width is stored (J2)", () => {
    const others = [columnState('role', 140), columnState('from', 200, null, null)];
    const unchanged = placedFromState(
      [columnState('name', minColumnWidth(person), 'left', null), ...others],
      placed,
      minColumnWidth(person),
    );
    expect(unchanged[0]).toEqual({ column: person, hidden: false, pinned: false });
    expect(unchanged[2]).toMatchObject({ width: 200 });
    const resized = placedFromState(
      [columnState('name', 400, 'left', null), ...others],
      placed,
      minColumnWidth(person),
    );
    expect(resized[0]).toEqual({ column: person, hidden: false, pinned: false, width: 400 });
    const chosen = placedFromState([columnState('name', 300, 'left', null), ...others], placed, null);
    expect(chosen[0]).toEqual({ column: person, hidden: false, pinned: true, width: 300 });
  });

  test('the pinned person column shrinks if the next two columns would not be visible (J2)', () => {
    const four = placeColumns([person, text('status'), text('expires'), text('role')], null);
    const fullWidth = minColumnWidth(person);
    expect(autoPinWidth(four, 800, true)).toBeNull();
    expect(autoPinWidth(four, 700, true)).toBe(fullWidth);
    const compactWidth = autoPinWidth(four, 600, true) ?? fullWidth;
    expect(compactWidth).toBeLessThan(fullWidth);
    // The sum includes the select and actions columns, whose widths are fixed.
    expect(compactWidth + 2 * 132 + 104).toBeLessThanOrEqual(600);
    // A width chosen by the user is not changed.
    const chosen = four.map((entry, index) => (index === 0 ? { ...entry, width: 333 } : entry));
    expect(autoPinWidth(chosen, 600, true)).toBe(333);
  });
});
