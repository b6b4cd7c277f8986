/** Layout of a grid's columns: placing, changing, loading and saving. */
import type { ColumnState } from 'ag-grid-community';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { titleColumn, type GridColumn } from './grid-column.ts';
import type { GridLayout, GridPreferences, GridServer, GridViewRecord } from './grid-server.ts';

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

const pinnedFirst = <Row>(placed: readonly PlacedColumn<Row>[]): PlacedColumn<Row>[] => [
  ...placed.filter(({ pinned }) => pinned),
  ...placed.filter(({ pinned }) => !pinned),
];

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

export const layoutOf = <Row>(placed: readonly PlacedColumn<Row>[], compact: boolean): GridLayout => ({
  ...(compact && { density: 'compact' }),
  columns: placed.map(({ column: { id }, hidden, width, pinned }) => ({
    id,
    ...(hidden && { hidden }),
    ...(width !== undefined && { width: Math.round(width) }),
    ...(pinned && { pinned }),
  })),
});

export const isSameLayout = (entry: GridLayout, other: GridLayout): boolean =>
  JSON.stringify(entry) === JSON.stringify(other);

export const changeColumn = <Row>(
  placed: readonly PlacedColumn<Row>[],
  id: string,
  change: Partial<Pick<PlacedColumn<Row>, 'hidden' | 'pinned'>>,
): PlacedColumn<Row>[] =>
  pinnedFirst(placed.map((entry) => (entry.column.id === id ? { ...entry, ...change } : entry)));

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

/** Text size chosen in the browser, relative to the default. */
const textScale =
  typeof document === 'undefined'
    ? 1
    : Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

/** Returns the row height. Rows are higher if they show addresses of people, and on a narrow screen, where a row is one cell. */
export function rowHeightOf<Row>(
  columns: readonly GridColumn<Row>[],
  { narrow, compact }: { narrow: boolean; compact: boolean },
): number {
  const hasAddressLine =
    titleColumn(columns).kind === 'person' || columns.some((column) => column.narrow === 'subtitle');
  if (narrow) return textScale * (hasAddressLine ? 108 : 84);
  if (columns.some(({ kind }) => kind === 'person')) return textScale * (compact ? 40 : 54);
  return textScale * (compact ? 34 : 44);
}

export const selectWidth = 48;
export const actionsWidth = 56;

/** Minimum widths by kind: enough for a name and most addresses, "vor 59 Minuten", or a badge of one word. Longer text is truncated. */
const minWidths = { person: 290, text: 124, number: 104, 'date-time': 128, day: 124, badge: 132 };

/** Width of one letter of a title in the widest common font, and total width of the header cell's padding and filter button. */
const titleLetterWidth = 9;
const titleExtraWidth = 46;

export const minColumnWidth = <Row>({ kind, title, minWidth = minWidths[kind] }: GridColumn<Row>): number =>
  textScale * Math.max(minWidth, title.length * titleLetterWidth + titleExtraWidth);

export function isCrowded<Row>(
  placed: readonly PlacedColumn<Row>[],
  availableWidth: number,
  selectable: boolean,
): boolean {
  const fixedWidth = actionsWidth + (selectable ? selectWidth : 0);
  const widths = placed.map(({ column, hidden, width }) => (hidden ? 0 : (width ?? minColumnWidth(column))));
  return availableWidth < widths.reduce((sum, width) => sum + width, fixedWidth);
}

/** Width of the automatically pinned column with an address shortened in the middle. */
export const minAutoPinnedWidth = textScale * 204;
/** Width of the automatically pinned column with most addresses in full, and of the grids in which it leaves space for other columns. */
const fullAddressWidth = textScale * 272;
const fullAddressGridWidth = textScale * 680;

export const autoPinnedWidthOf = (availableWidth: number): number =>
  availableWidth < fullAddressGridWidth ? minAutoPinnedWidth : fullAddressWidth;

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

/** Reads the user's changes from AG Grid's column state. */
export function placedFromState<Row>(
  state: readonly Pick<ColumnState, 'colId' | 'hide' | 'width' | 'flex' | 'pinned'>[],
  placed: readonly PlacedColumn<Row>[],
  crowded: boolean,
): PlacedColumn<Row>[] {
  const autoPinned = findAutoPinned(placed, crowded);
  return state.flatMap(({ colId, hide, width, flex, pinned }) => {
    const current = placed.find(({ column }) => column.id === colId);
    if (!current) return [];
    const isAutoPinned = current === autoPinned;
    // The automatic width is not the user's choice.
    const isAutomatic = isAutoPinned && (width === minAutoPinnedWidth || width === fullAddressWidth);
    const chosen = isAutomatic ? current.width : width;
    return [
      {
        column: current.column,
        hidden: hide === true,
        pinned: isAutoPinned ? current.pinned : Boolean(pinned),
        ...(!flex && chosen && { width: chosen }),
      },
    ];
  });
}

const noPreferences: GridPreferences = { layout: null, views: [], mayShare: false };
/** Last known preferences by grid. A grid that is shown again uses them at once. */
const knownPreferences = new Map<string, GridPreferences>();

export type StoredGridState = ReturnType<typeof useStoredGridState>;

/** `ready` is true if the settings are loaded, or if loading has failed. */
export function useStoredGridState(server: GridServer | null, grid: string | undefined) {
  const [memory, setMemory] = useState<GridPreferences | null>(() =>
    server && grid ? (knownPreferences.get(grid) ?? null) : noPreferences,
  );
  const change = (getChange: (previous: GridPreferences) => Partial<GridPreferences>) =>
    setMemory((previous) => {
      const current = previous ?? noPreferences;
      const next = { ...current, ...getChange(current) };
      if (server && grid) knownPreferences.set(grid, next);
      return next;
    });

  // A layout that is already rendered stays.
  const applyLoaded = useEffectEvent((loaded: Partial<GridPreferences>) =>
    change(() => ({ ...loaded, ...(memory && { layout: memory.layout }) })),
  );
  useEffect(() => {
    if (!server || !grid) return;
    server.loadPreferences(grid).then(
      (loaded) => applyLoaded(loaded),
      () => applyLoaded({}),
    );
  }, [server, grid]);

  return {
    ready: memory !== null,
    ...(memory ?? noPreferences),
    setLayout: (layout: GridLayout | null) => {
      change(() => ({ layout }));
      // A failure is not reported: the columns stay on this page, and the next change saves again.
      if (server && grid) server.saveLayout(grid, layout).catch(() => {});
    },
    setViews: (next: (views: readonly GridViewRecord[]) => readonly GridViewRecord[]) =>
      change(({ views }) => ({ views: next(views) })),
  };
}

export type GridColumns<Row> = {
  /** Columns as defined by the screen. The first column names a row. */
  defined: readonly GridColumn<Row>[];
  /** Columns as arranged by the user. */
  placed: readonly PlacedColumn<Row>[];
  place: (placed: readonly PlacedColumn<Row>[]) => void;
  compact: boolean;
  setCompact: (compact: boolean) => void;
  reset: () => void;
};

export function useGridColumns<Row>(
  defined: readonly GridColumn<Row>[],
  { layout, setLayout }: StoredGridState,
): GridColumns<Row> {
  const placed = useMemo(() => placeColumns(defined, layout), [defined, layout]);
  const compact = layout?.density === 'compact';
  return {
    defined,
    placed,
    place: (next) => setLayout(layoutOf(next, compact)),
    compact,
    setCompact: (next) => setLayout(layoutOf(placed, next)),
    reset: () => setLayout(null),
  };
}
