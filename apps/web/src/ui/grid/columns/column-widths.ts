/** How wide columns and how high rows are, and which of them stays in sight where they do not fit. All in CSS pixels. */
import type { ColumnState } from 'ag-grid-community';
import { hasAddressLine } from '../cells/narrow-cell.ts';
import type { GridColumn } from './grid-column.ts';
import type { PlacedColumn } from './grid-layout.ts';

/** Rows with people have a line for their addresses; on a narrow screen two, for a long one. */
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

/** Enough for a name and most addresses, "vor 59 Minuten", or a badge of one word; text can be cut. */
const leastWidths = { person: 290, text: 132, number: 104, 'date-time': 144, badge: 144 };

/** Of a letter in a title, in the widest of usual fonts; and what stands beside it: the margins of its cell and the button of its filter. */
const titleLetter = 9;
const besideTitle = 46;

/** Titles are as long as the language makes them. */
export function leastWidth<Row>({ kind, title, minWidth = leastWidths[kind] }: GridColumn<Row>): number {
  return Math.max(minWidth, title.length * titleLetter + besideTitle);
}

function widthOf<Row>({ column, width }: PlacedColumn<Row>): number {
  return width ?? leastWidth(column);
}

/** Whether the columns do not fit beside each other. */
export function isCrowded<Row>(
  placed: readonly PlacedColumn<Row>[],
  room: number,
  selectable: boolean,
): boolean {
  const own = actionsWidth + (selectable ? selectWidth : 0);
  return room < placed.reduce((sum, one) => (one.hidden ? sum : sum + widthOf(one)), own);
}

/** Who a row is about, where that stands first, stays in sight if the columns do not fit: pinned columns make scrolling slower. */
export function keptColumn<Row>(
  placed: readonly PlacedColumn<Row>[],
  crowded: boolean,
): PlacedColumn<Row> | undefined {
  const first = placed.find(({ hidden }) => !hidden);
  return crowded && first?.column.kind === 'person' ? first : undefined;
}

/** A picture and an address without its middle: what is left of somebody where there is room for little more. */
const closePerson = 204;
/** So many columns beside it say what matters. */
const besides = 2;

/** How wide that column is: as little as lets the next columns stay in sight, too. Null where the columns fit. */
export function keptWidth<Row>(
  placed: readonly PlacedColumn<Row>[],
  room: number,
  selectable: boolean,
): number | null {
  const kept = keptColumn(placed, isCrowded(placed, room, selectable));
  if (!kept) return null;
  const shown = placed.filter(({ hidden }) => !hidden).slice(0, 1 + besides);
  return kept.width ?? (isCrowded(shown, room, selectable) ? closePerson : leastWidth(kept.column));
}

/** How the person has left the columns, by how they stand in AG Grid. */
export function readPlaced<Row>(
  state: readonly Pick<ColumnState, 'colId' | 'hide' | 'width' | 'flex' | 'pinned'>[],
  placed: readonly PlacedColumn<Row>[],
  /** See `keptWidth`. */
  keptAt: number | null,
): PlacedColumn<Row>[] {
  const kept = keptColumn(placed, keptAt !== null);
  return state.flatMap(({ colId, hide, width, flex, pinned }) => {
    const known = placed.find(({ column }) => column.id === colId);
    if (!known) return [];
    // What keeps a column in sight is nobody's choice.
    const chosen = known === kept && width === keptAt ? known.width : width;
    return [
      {
        column: known.column,
        hidden: hide === true,
        pinned: known === kept ? known.pinned : Boolean(pinned),
        ...(!flex && chosen && { width: chosen }),
      },
    ];
  });
}
