import type { GridColumn } from './grid-column.ts';
import type { GridLayout } from '../rows/grid-server.ts';

export type PlacedColumn<Row> = {
  column: GridColumn<Row>;
  hidden: boolean;
  /** CSS pixels. Undefined for a share of the available width. */
  width?: number;
  pinned: boolean;
};

/** Applies a stored layout to the screen's columns: drops columns that no longer exist, appends new ones. */
export function placeColumns<Row>(
  columns: readonly GridColumn<Row>[],
  layout: GridLayout | null,
): PlacedColumn<Row>[] {
  const stored = layout?.columns ?? [];
  const existing = stored.flatMap(({ id, hidden = false, width, pinned = false }) => {
    const column = columns.find((entry) => entry.id === id);
    return column ? [{ column, hidden, pinned, ...(width && { width }) }] : [];
  });
  const added = columns
    .filter(({ id }) => !stored.some((entry) => entry.id === id))
    .map((column) => ({ column, hidden: column.hidden ?? false, pinned: false }));
  const placed = [...existing, ...added];
  // Without headers, the user could not show a column again.
  if (placed.every(({ hidden }) => hidden)) return placeColumns(columns, null);
  return pinnedFirst(placed);
}

function pinnedFirst<Row>(placed: readonly PlacedColumn<Row>[]): PlacedColumn<Row>[] {
  return [...placed.filter(({ pinned }) => pinned), ...placed.filter(({ pinned }) => !pinned)];
}

/** Returns the visible columns for copies and exports, with the address column that a person cell includes. */
export function exportColumns<Row>(placed: readonly PlacedColumn<Row>[]): GridColumn<Row>[] {
  const shown = placed.filter(({ hidden }) => !hidden).map(({ column }) => column);
  return shown.flatMap((column) => {
    const other =
      column.kind === 'person' && !shown.some(({ id }) => id === column.shows)
        ? placed.find((entry) => entry.column.id === column.shows)
        : undefined;
    return other ? [column, other.column] : [column];
  });
}

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

export function isSameLayout(entry: GridLayout, other: GridLayout): boolean {
  return JSON.stringify(entry) === JSON.stringify(other);
}

export function changeColumn<Row>(
  placed: readonly PlacedColumn<Row>[],
  id: string,
  change: Partial<Pick<PlacedColumn<Row>, 'hidden' | 'pinned'>>,
): PlacedColumn<Row>[] {
  return pinnedFirst(placed.map((entry) => (entry.column.id === id ? { ...entry, ...change } : entry)));
}

/** Moves a column by one position. Pinned columns stay before the others. */
export function moveColumn<Row>(
  placed: readonly PlacedColumn<Row>[],
  id: string,
  step: 1 | -1,
): PlacedColumn<Row>[] {
  const from = placed.findIndex(({ column }) => column.id === id);
  const [moved, other] = [placed[from], placed[from + step]];
  if (!moved || !other || moved.pinned !== other.pinned) return [...placed];
  const next = [...placed];
  next[from] = other;
  next[from + step] = moved;
  return next;
}
