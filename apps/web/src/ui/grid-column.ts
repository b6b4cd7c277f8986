import type { BadgeTone } from './badge.tsx';

interface ColumnBase {
  /** Also what the server sorts by. */
  id: string;
  title: string;
  /** The header sorts by it. Default true. */
  sortable?: boolean;
  /** Share of the width that is left over; default 1. */
  flex?: number;
  /** In CSS pixels; default 140, and never too little for a badge or a moment. */
  minWidth?: number;
  /**
   * On narrow screens a row is one cell of two lines: the first column in the first, those marked `detail` in the
   * second, badges at the end. Default: badges are shown, all else is left out.
   */
  narrow?: 'detail' | 'hidden';
}

/** A column of a `DataGrid`. Make the list of columns once, outside the component. */
export type GridColumn<Row> =
  | (ColumnBase & { kind: 'text'; text: (row: Row) => string })
  /** A moment in ISO 8601, shown in the person's locale and time zone; null shows `none`. */
  | (ColumnBase & { kind: 'date-time'; time: (row: Row) => string | null; none?: string })
  /** A status; `hint` (why it is so) shows under the pointer. */
  | (ColumnBase & {
      kind: 'badge';
      badge: (row: Row) => { label: string; tone: BadgeTone; hint?: string } | null;
    });

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** What a cell says, as text. */
export function cellText<Row>(column: GridColumn<Row>, row: Row): string {
  if (column.kind === 'text') return column.text(row);
  if (column.kind === 'badge') return column.badge(row)?.label ?? '';
  const time = column.time(row);
  return time === null ? (column.none ?? '') : moment.format(new Date(time));
}
