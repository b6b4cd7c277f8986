/** What a column of a grid is, and what its cells say. */
import { formatMoment, formatNumber } from '../../../language/formats.ts';
import type { BadgeTone } from '../../marks/badge-tone.ts';
import type { ShownPerson } from '../../person/shown-person.ts';
import type { SmallPicture } from '../cells/mark-element.ts';

/** How a column can be narrowed down. The server filters by the column's id. */
type GridFilterKind =
  /** Contains a text. `optional`: cells may be empty, so "empty" and "not empty" are offered too. */
  | { kind: 'text'; optional?: boolean }
  /** One of these values; what the server stores, and what the person reads. */
  | { kind: 'set'; values: readonly { value: string; label: string }[] }
  /** From one day to another. `optional` as above. `ahead`: of what is still to come. */
  | { kind: 'date'; optional?: boolean; ahead?: boolean }
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
   * On narrow screens a row is one cell: what it is about (the column marked `title`, else the first), a line of the one marked
   * `subtitle`, and below it, small, those marked `detail` and the badges. Default: badges are shown, all else is left out.
   */
  narrow?: 'title' | 'subtitle' | 'detail' | 'hidden';
};

/** A column of a `DataGrid`. Make the list of columns once, outside the component. */
export type GridColumn<Row> =
  /**
   * `narrowText`: what a row is about on narrow screens, where that is more than the text. `icon`: the path of an outline of 24 by 24 before it; `picture`: what is
   * shown instead of it, once it is loaded.
   */
  | (ColumnBase & {
      kind: 'text';
      text: (row: Row) => string;
      narrowText?: (row: Row) => string;
      icon?: (row: Row) => string;
      picture?: (row: Row) => SmallPicture | null;
    })
  /**
   * Somebody: picture, name and address in one cell; null for what is no person, whose `text` is shown. `text` is what the column is sorted and filtered by; `shows` the column that the
   * cell shows besides, for copies and files, in which each has one of its own.
   */
  | (ColumnBase & {
      kind: 'person';
      text: (row: Row) => string;
      person: (row: Row) => ShownPerson | null;
      shows?: string;
    })
  /** A number, at the right; null shows nothing. `format` where its digits alone would say little. */
  | (ColumnBase & {
      kind: 'number';
      number: (row: Row) => number | null;
      format?: (number: number) => string;
    })
  /**
   * A moment in ISO 8601, told by how far away it is; copies have it in the person's locale and time zone. Null shows `none`. `ends`:
   * something ends then that somebody may want to keep from ending. `narrowTitle`: on narrow screens its title stands before it; else only
   * screen readers are told.
   */
  | (ColumnBase & {
      kind: 'date-time';
      time: (row: Row) => string | null;
      none?: string;
      ends?: (row: Row) => boolean;
      narrowTitle?: boolean;
    })
  /** A status; `hint` (why it is so) shows under the pointer. `narrowIf`: on narrow screens it is told of these rows only. */
  | (ColumnBase & {
      kind: 'badge';
      narrowIf?: (row: Row) => boolean;
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
    case 'person':
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
