/** Widths of columns and heights of rows, in CSS pixels. */
import type { ColumnState } from 'ag-grid-community';
import { hasAddressLine } from '../cells/narrow-cell.ts';
import type { GridColumn } from './grid-column.ts';
import type { PlacedColumn } from './grid-layout.ts';

/** Returns the row height. Rows are higher if they show addresses of people, and on a narrow screen, where a row is one cell. */
export function rowHeightOf<Row>(
  columns: readonly GridColumn<Row>[],
  { narrow, compact }: { narrow: boolean; compact: boolean },
): number {
  if (narrow) return hasAddressLine(columns) ? 108 : 84;
  if (columns.some(({ kind }) => kind === 'person')) return compact ? 40 : 54;
  return compact ? 34 : 44;
}

export const selectWidth = 48;
export const actionsWidth = 56;

/** Minimum widths by kind: enough for a name and most addresses, "vor 59 Minuten", or a badge of one word. Longer text is truncated. */
const minWidths = { person: 290, text: 132, number: 104, 'date-time': 144, badge: 144 };

/** Width of one letter of a title in the widest common font, and total width of the header cell's padding and filter button. */
const titleLetterWidth = 9;
const titleExtraWidth = 46;

export function minColumnWidth<Row>({ kind, title, minWidth = minWidths[kind] }: GridColumn<Row>): number {
  return Math.max(minWidth, title.length * titleLetterWidth + titleExtraWidth);
}

function widthOf<Row>({ column, width }: PlacedColumn<Row>): number {
  return width ?? minColumnWidth(column);
}

export function isCrowded<Row>(
  placed: readonly PlacedColumn<Row>[],
  availableWidth: number,
  selectable: boolean,
): boolean {
  const fixedWidth = actionsWidth + (selectable ? selectWidth : 0);
  return (
    availableWidth < placed.reduce((sum, entry) => (entry.hidden ? sum : sum + widthOf(entry)), fixedWidth)
  );
}

/**
 * Returns the column that is pinned if the columns do not fit: the person column if it is first. Otherwise no column is pinned, because
 * that would slow down scrolling.
 */
export function findAutoPinned<Row>(
  placed: readonly PlacedColumn<Row>[],
  crowded: boolean,
): PlacedColumn<Row> | undefined {
  const first = placed.find(({ hidden }) => !hidden);
  return crowded && first?.column.kind === 'person' ? first : undefined;
}

/** Width of the picture and an address shortened in the middle. */
const compactPersonWidth = 204;
/** Number of columns that should be visible next to the pinned one. */
const visibleNeighbors = 2;

/**
 * Returns the width of the automatically pinned column, reduced if the next columns would not be visible. Null if no column is pinned
 * automatically.
 */
export function autoPinWidth<Row>(
  placed: readonly PlacedColumn<Row>[],
  availableWidth: number,
  selectable: boolean,
): number | null {
  const autoPinned = findAutoPinned(placed, isCrowded(placed, availableWidth, selectable));
  if (!autoPinned) return null;
  const shown = placed.filter(({ hidden }) => !hidden).slice(0, 1 + visibleNeighbors);
  return (
    autoPinned.width ??
    (isCrowded(shown, availableWidth, selectable) ? compactPersonWidth : minColumnWidth(autoPinned.column))
  );
}

/** Reads the user's changes from AG Grid's column state. */
export function placedFromState<Row>(
  state: readonly Pick<ColumnState, 'colId' | 'hide' | 'width' | 'flex' | 'pinned'>[],
  placed: readonly PlacedColumn<Row>[],
  /** Result of `autoPinWidth`. */
  autoWidth: number | null,
): PlacedColumn<Row>[] {
  const autoPinned = findAutoPinned(placed, autoWidth !== null);
  return state.flatMap(({ colId, hide, width, flex, pinned }) => {
    const current = placed.find(({ column }) => column.id === colId);
    if (!current) return [];
    // The automatic width is not the user's choice.
    const chosen = current === autoPinned && width === autoWidth ? current.width : width;
    return [
      {
        column: current.column,
        hidden: hide === true,
        pinned: current === autoPinned ? current.pinned : Boolean(pinned),
        ...(!flex && chosen && { width: chosen }),
      },
    ];
  });
}
