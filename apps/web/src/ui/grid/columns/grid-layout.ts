/** Which columns are shown, in which order and how: what a person has chosen laid over what the screen defines. */
import type { GridColumn } from './grid-column.ts';
import type { GridLayout } from '../rows/grid-server.ts';

/** A column as it stands in the grid. */
export type PlacedColumn<Row> = {
  column: GridColumn<Row>;
  hidden: boolean;
  /** CSS pixels; absent where the column takes its share of the room. */
  width?: number;
  /** Stays at the left while the rest scrolls. */
  pinned: boolean;
};

/**
 * The columns in the person's order. What they have kept may be older than the screen: columns that are gone are left
 * out, new ones follow at the end as the screen defines them.
 */
export function placeColumns<Row>(
  columns: readonly GridColumn<Row>[],
  layout: GridLayout | null,
): PlacedColumn<Row>[] {
  const kept = layout?.columns ?? [];
  const known = kept.flatMap(({ id, hidden = false, width, pinned = false }) => {
    const column = columns.find((one) => one.id === id);
    return column ? [{ column, hidden, pinned, ...(width && { width }) }] : [];
  });
  const added = columns
    .filter(({ id }) => !kept.some((one) => one.id === id))
    .map((column) => ({ column, hidden: column.hidden ?? false, pinned: false }));
  const placed = [...known, ...added];
  // A grid that shows nothing could not be mended by its headers.
  if (placed.every(({ hidden }) => hidden)) return placeColumns(columns, null);
  return pinnedFirst(placed);
}

/** As the grid itself shows them. */
function pinnedFirst<Row>(placed: readonly PlacedColumn<Row>[]): PlacedColumn<Row>[] {
  return [...placed.filter(({ pinned }) => pinned), ...placed.filter(({ pinned }) => !pinned)];
}

/** The columns with what a person sees of a row: a name and an address that share a cell are two. */
export function seenColumns<Row>(placed: readonly PlacedColumn<Row>[]): GridColumn<Row>[] {
  const shown = placed.filter(({ hidden }) => !hidden).map(({ column }) => column);
  return shown.flatMap((column) => {
    const other =
      column.kind === 'person' && !shown.some(({ id }) => id === column.shows)
        ? placed.find((one) => one.column.id === column.shows)
        : undefined;
    return other ? [column, other.column] : [column];
  });
}

/** What is to be kept of placed columns, and of how high rows are. */
export function layoutOf<Row>(placed: readonly PlacedColumn<Row>[], compact: boolean): GridLayout {
  return {
    ...(compact && { density: 'compact' }),
    columns: placed.map(({ column: { id }, hidden, width, pinned }) => ({
      id,
      ...(hidden && { hidden }),
      ...(width !== undefined && { width: Math.round(width) }),
      ...(pinned && { pinned }),
    })),
  };
}

/** Whether two layouts show the same. */
export function isSameLayout(one: GridLayout, other: GridLayout): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** One column changed. */
export function changeColumn<Row>(
  placed: readonly PlacedColumn<Row>[],
  id: string,
  change: Partial<Pick<PlacedColumn<Row>, 'hidden' | 'pinned'>>,
): PlacedColumn<Row>[] {
  return pinnedFirst(placed.map((one) => (one.column.id === id ? { ...one, ...change } : one)));
}

/** One column moved by one place, among its own: pinned columns stay before the others. */
export function moveColumn<Row>(
  placed: readonly PlacedColumn<Row>[],
  id: string,
  step: 1 | -1,
): PlacedColumn<Row>[] {
  const from = placed.findIndex(({ column }) => column.id === id);
  const [moved, neighbour] = [placed[from], placed[from + step]];
  if (!moved || !neighbour || moved.pinned !== neighbour.pinned) return [...placed];
  const next = [...placed];
  next[from] = neighbour;
  next[from + step] = moved;
  return next;
}
