import { formatDay, formatNumber } from '../../language/formats.ts';
import { formatMoment } from '../../language/moment.ts';
import type { BadgeTone } from '../marks/badge-tone.ts';
import type { ShownPerson } from '../person/shown-person.ts';

/** A thumbnail that is loaded after the cell is drawn. */
export type CellThumbnail = {
  /** URL of the thumbnail, if it has been loaded before. */
  cachedUrl: string | null;
  /** Loads the thumbnail and returns its URL, or null. An aborted load is skipped when its turn comes. */
  load: (signal: AbortSignal) => Promise<string | null>;
};

export type CellBadge = { label: string; tone: BadgeTone; hint?: string };

/** Filter of a column. The server filters by the column's id. */
type GridFilterKind =
  /** `optional`: cells may be empty; "empty" and "not empty" are offered as conditions. */
  | { kind: 'text'; optional?: boolean }
  | { kind: 'set'; values: readonly { value: string; label: string }[] }
  /** A range of days. `ahead` means that the column contains future times or days. */
  | { kind: 'date'; optional?: boolean; ahead?: boolean }
  /** A range of numbers, both bounds included. */
  | { kind: 'number' };

type ColumnBase = {
  /** Id of the column, and the server's name for it in sorting, filters and exports. */
  id: string;
  title: string;
  /** Default: true. */
  sortable?: boolean;
  /** Whether the server exports the column. Default: true. */
  exported?: boolean;
  filter?: GridFilterKind;
  /** Hidden until the user shows it. */
  hidden?: boolean;
  /** Share of the remaining width. Default: 1. */
  flex?: number;
  /** CSS pixels. The default depends on the kind of column. */
  minWidth?: number;
  /**
   * Position on a narrow screen, where a row is one cell. `title` (default: the first column) and `subtitle` are lines; `detail` and
   * badges form the last line. Other columns are hidden.
   */
  narrow?: 'title' | 'subtitle' | 'detail' | 'hidden';
};

/** A column of a `DataGrid`. Create the list of columns outside the component. */
export type GridColumn<Row> =
  /** `narrowText` is the title on narrow screens. `icon` is the path data of a 24 by 24 outline; `picture` replaces it once loaded. */
  | (ColumnBase & {
      kind: 'text';
      text: (row: Row) => string;
      narrowText?: (row: Row) => string;
      icon?: (row: Row) => string;
      picture?: (row: Row) => CellThumbnail | null;
    })
  /**
   * Picture, name and address of a person; `text` if `person` is null. `shows` is the id of another column whose content the cell includes.
   * Exports contain both columns.
   */
  | (ColumnBase & {
      kind: 'person';
      text: (row: Row) => string;
      person: (row: Row) => ShownPerson | null;
      shows?: string;
    })
  | (ColumnBase & {
      kind: 'number';
      number: (row: Row) => number | null;
      format?: (number: number) => string;
    })
  /**
   * Relative time of an ISO 8601 time. Null is shown as `none`. `ends` returns whether the time is a deadline that a user may want to
   * extend. With `narrowTitle`, the column title is visible on narrow screens; otherwise only screen readers announce it.
   */
  | (ColumnBase & {
      kind: 'date-time';
      time: (row: Row) => string | null;
      none?: string;
      ends?: (row: Row) => boolean;
      narrowTitle?: boolean | string;
    })
  /** A day such as `2026-12-31`, which has no time zone. */
  | (ColumnBase & {
      kind: 'day';
      day: (row: Row) => string | null;
      none?: string;
      narrowTitle?: boolean | string;
    })
  /** `hint` is the tooltip. `narrowIf` returns whether the row shows the badge on narrow screens. */
  | (ColumnBase & {
      kind: 'badge';
      narrowIf?: (row: Row) => boolean;
      badge: (row: Row) => CellBadge | null;
    });

/** Returns the options of a `set` filter. */
export const valuesOf = (
  names: Readonly<Record<string, string | { label: string }>>,
): { value: string; label: string }[] =>
  Object.entries(names).map(([value, name]) => ({
    value,
    label: typeof name === 'string' ? name : name.label,
  }));

/** Returns the column that names a row. */
export function titleColumn<Row>(columns: readonly GridColumn<Row>[]): GridColumn<Row> {
  const title = columns.find(({ narrow }) => narrow === 'title') ?? columns[0];
  if (!title) throw new Error('A grid needs at least one column.');
  return title;
}

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
    case 'day': {
      const day = column.day(row);
      return day === null ? (column.none ?? '') : formatDay(`${day}T00:00`);
    }
  }
}

/** Types of a row's field that needs no accessor, and the property of the accessor, by kind of column. */
type Accessors = {
  text: { text: string | null };
  person: { text: string | null };
  number: { number: number | null };
  'date-time': { time: string | null };
  day: { day: string | null };
};

/** A column without its id. The accessor is optional if the row has a suitable field with the column's name. */
type NamedColumn<Row, Name, Column> = Column extends { id: string; kind: infer Kind }
  ? Kind extends keyof Accessors
    ? Row extends Record<Name & string, Accessors[Kind][keyof Accessors[Kind]]>
      ? Omit<Column, 'id' | keyof Accessors[Kind]> &
          Partial<Pick<Column, keyof Accessors[Kind] & keyof Column>>
      : Omit<Column, 'id'>
    : Omit<Column, 'id'>
  : never;

/**
 * Builds columns keyed by the server's column names, in display order. Missing and unknown names do not compile. Without an accessor,
 * a cell shows the row's field of the same name.
 */
export const columnsByName = <Row, Name extends string>(columns: {
  [Column in Name]: NamedColumn<Row, Column, GridColumn<Row>>;
}): GridColumn<Row>[] =>
  Object.entries<object>(columns).map(([id, column]) => {
    const field = (row: Row) => row[id as keyof Row];
    const text = (row: Row) => field(row) ?? '';
    return { text, number: field, time: field, day: field, ...column, id } as unknown as GridColumn<Row>;
  });
