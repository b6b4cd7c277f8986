/**
 * Declares a table's columns once, by contract name and type. Select and insert lists, row types and contract values are derived from them
 * at compile time and at run time. SQL names are the same in snake_case. Why no query builder: docs/decisions/017-fields-in-one-table.md.
 */
import { jsonParameter } from './database.ts';

/** Column by SQL type; `Value` is its TypeScript type. */
type Column<Value> = {
  type: 'uuid' | 'text' | 'text[]' | 'integer' | 'bigint' | 'boolean' | 'timestamptz' | 'bytea';
  value?: Value;
};

export const uuid = <Value extends string | null = string>(): Column<NoInfer<Value>> => ({ type: 'uuid' });
export const text = <Value extends string | null = string>(): Column<NoInfer<Value>> => ({ type: 'text' });
export const textArray = <Value extends string = string>(): Column<NoInfer<Value>[]> => ({ type: 'text[]' });
export const bigint = (): Column<number> => ({ type: 'bigint' });
export const boolean = (): Column<boolean> => ({ type: 'boolean' });
export const integer = <Value extends number | null = number>(): Column<NoInfer<Value>> => ({
  type: 'integer',
});
export const timestamptz = <Value extends Date | null = Date>(): Column<NoInfer<Value>> => ({
  type: 'timestamptz',
});
export const bytes = (): Column<Buffer> => ({ type: 'bytea' });

type Columns = Record<string, Column<unknown>>;
type ValueOf<C> = C extends Column<infer Value> ? Value : never;

/** Type-level `sqlName`. */
export type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

/** Row as returned by statements. */
type Row<C extends Columns> = { [N in keyof C & string as SnakeCase<N>]: ValueOf<C[N]> };

/** Values for an insert. */
type NewRow<C extends Columns> = { [N in keyof C]: ValueOf<C[N]> };

/** Converts `lastSeenAt` to `last_seen_at`. */
export const sqlName = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const columnList = (names: string[]) => names.map(sqlName).join(', ');

/**
 * Declares a table. `inserted` columns are inserted and read. `unread` columns are inserted, and statements only
 * compare with them. `defaulted` columns are read, and are set by the database or by separate statements.
 * `otherColumns` names columns that only separate statements use.
 */
export function defineTable<
  I extends Columns,
  U extends Columns,
  D extends Columns,
  const E extends readonly string[],
>(
  table: string,
  { inserted, unread, defaulted, otherColumns }: { inserted: I; unread: U; defaulted: D; otherColumns: E },
) {
  const insertedColumns: Columns = { ...inserted, ...unread };
  const insertedNames = Object.keys(insertedColumns).map((name) => [name, sqlName(name)] as const);
  const readColumns: Columns = { ...inserted, ...defaulted };
  const types = insertedNames.map(([name, sql]) => `${sql} ${insertedColumns[name]?.type}`);
  return {
    /** Row types; undefined at run time. */
    types: undefined as unknown as { row: Row<I & D>; newRow: NewRow<I & U> },

    /** All columns, by contract name. */
    names: [...Object.keys({ ...insertedColumns, ...readColumns }), ...otherColumns],

    /** Columns of a whole row, for `select` and `returning`. */
    columns: columnList(Object.keys(readColumns)),

    /**
     * Statement that inserts the rows serialized by `parameter`, which are `$1`. Callers can append a filter for these
     * rows, whose alias is `new_rows`.
     */
    insert: `insert into ${table} (${columnList(Object.keys(insertedColumns))})
             select ${columnList(Object.keys(insertedColumns))} from jsonb_to_recordset($1) as new_rows (${types.join(', ')})`,

    /** Serializes new rows as one parameter, inserted columns only. */
    parameter: (rows: readonly NewRow<I & U>[]): string =>
      jsonParameter(
        rows.map((row) =>
          Object.fromEntries(
            insertedNames.map(([name, sql]) => {
              const value = (row as Record<string, unknown>)[name];
              return [sql, Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value];
            }),
          ),
        ),
      ),

    /** Selects all columns by contract name, except those that are omitted (`false`) or renamed. */
    selectList(changes: { [N in keyof (I & U & D) | E[number]]?: string | false }): string {
      const other = changes as Record<string, string | false | undefined>;
      return this.names
        .filter((name) => other[name] !== false)
        .map((name) => `${sqlName(name)} as "${other[name] ?? name}"`)
        .join(', ');
    },
  };
}
