import { formatMoment, formatNumber } from '../../../language/formats.ts';
import type { BadgeTone } from '../../badge-tone.ts';

/** How a column can be narrowed down. The server filters by the column's id. */
export type GridFilterKind =
  /** Contains a text. `optional`: cells may be empty, so "empty" and "not empty" are offered too. */
  | { kind: 'text'; optional?: boolean }
  /** One of these values; what the server stores, and what the person reads. */
  | { kind: 'set'; values: readonly { value: string; label: string }[] }
  /** From one day to another. `optional` as above. */
  | { kind: 'date'; optional?: boolean }
  /** From one number to another, both included. */
  | { kind: 'number' };

type ColumnBase = {
  /** Also what the server sorts, filters and exports by. */
  id: string;
  title: string;
  /** The header sorts by it. Default true. */
  sortable?: boolean;
  /** The header, and the sheet on phones, filter by it. Default: they do not. */
  filter?: GridFilterKind;
  /** Not shown until the person chooses it. */
  hidden?: boolean;
  /** Share of the width that is left over; default 1. */
  flex?: number;
  /** In CSS pixels; default 140, and never too little for a badge or a moment. */
  minWidth?: number;
  /**
   * On narrow screens a row is one cell of two lines: the first column in the first, those marked `detail` in the
   * second, badges at the end. Default: badges are shown, all else is left out.
   */
  narrow?: 'detail' | 'hidden';
};

/** A column of a `DataGrid`. Make the list of columns once, outside the component. */
export type GridColumn<Row> =
  | (ColumnBase & { kind: 'text'; text: (row: Row) => string })
  /** A number, at the right; null shows nothing. `format` where its digits alone would say little. */
  | (ColumnBase & {
      kind: 'number';
      number: (row: Row) => number | null;
      format?: (number: number) => string;
    })
  /** A moment in ISO 8601, shown in the person's locale and time zone; null shows `none`. */
  | (ColumnBase & { kind: 'date-time'; time: (row: Row) => string | null; none?: string })
  /** A status; `hint` (why it is so) shows under the pointer. */
  | (ColumnBase & {
      kind: 'badge';
      badge: (row: Row) => { label: string; tone: BadgeTone; hint?: string } | null;
    });

/** The values of a column's filter, from what its values are called. */
export function valuesOf(
  names: Readonly<Record<string, string | { label: string }>>,
): { value: string; label: string }[] {
  return Object.entries(names).map(([value, name]) => ({
    value,
    label: typeof name === 'string' ? name : name.label,
  }));
}

/** What a cell says, as text. */
export function cellText<Row>(column: GridColumn<Row>, row: Row): string {
  switch (column.kind) {
    case 'text':
      return column.text(row);
    case 'badge':
      return column.badge(row)?.label ?? '';
    case 'number': {
      const number = column.number(row);
      return number === null ? '' : (column.format?.(number) ?? formatNumber(number));
    }
    case 'date-time': {
      const time = column.time(row);
      return time === null ? (column.none ?? '') : formatMoment(time);
    }
  }
}
