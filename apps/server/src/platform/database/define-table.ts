/**
 * A table as its store sees it: each column once, by the name it has in the contract, with its type. What statements select
 * and insert, what rows look like and what the contract gets of them follow from that, at compile time and when they run.
 * The SQL name is the same in snake_case. Why no query builder: docs/decisions/017-fields-in-one-table.md.
 */
import { jsonParameter } from './database.ts';

/** A column by its SQL type; `Value` is what a row holds. */
type Column<Value> = {
  type: 'uuid' | 'text' | 'text[]' | 'integer' | 'bigint' | 'boolean' | 'timestamptz' | 'bytea';
  value?: Value;
};

export const uuid = <Value extends string | null = string>(): Column<NoInfer<Value>> => ({ type: 'uuid' });
export const text = <Value extends string | null = string>(): Column<NoInfer<Value>> => ({ type: 'text' });
export const texts = <Value extends string = string>(): Column<NoInfer<Value>[]> => ({ type: 'text[]' });
export const bigint = (): Column<number> => ({ type: 'bigint' });
export const boolean = (): Column<boolean> => ({ type: 'boolean' });
export const integer = <Value extends number | null = number>(): Column<NoInfer<Value>> => ({
  type: 'integer',
});
export const moment = <Value extends Date | null = Date>(): Column<NoInfer<Value>> => ({
  type: 'timestamptz',
});
export const bytes = (): Column<Buffer> => ({ type: 'bytea' });

type Columns = Record<string, Column<unknown>>;
type ValueOf<C> = C extends Column<infer Value> ? Value : never;

/** `lastSeenAt` as `last_seen_at`. */
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

/** A row as statements give it. */
type Row<C extends Columns> = { [N in keyof C & string as Snake<N>]: ValueOf<C[N]> };

/** What is given of a new row. */
type NewRow<C extends Columns> = { [N in keyof C]: ValueOf<C[N]> };

/** A row as the contract has it: moments in ISO 8601, bytes in hexadecimal. */
type Shown<C extends Columns, Names> = {
  [N in keyof C & Names]: ValueOf<C[N]> extends Date | null
    ? string | Extract<ValueOf<C[N]>, null>
    : ValueOf<C[N]> extends Buffer
      ? string
      : ValueOf<C[N]>;
};

/** `lastSeenAt` as `last_seen_at`. */
export function sqlName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const listed = (names: string[]) => names.map(sqlName).join(', ');

/**
 * Declares a table. `inserted` is given with every new row and read again, `unread` is given and only compared with in
 * statements, `defaulted` begins as the database or a statement of its own says. `elsewhere` names what only statements of its
 * own read and write.
 */
export function defineTable<
  I extends Columns,
  U extends Columns,
  D extends Columns,
  const E extends readonly string[],
>(
  table: string,
  { inserted, unread, defaulted, elsewhere }: { inserted: I; unread: U; defaulted: D; elsewhere: E },
) {
  const given: Columns = { ...inserted, ...unread };
  const givenNames = Object.keys(given).map((name) => [name, sqlName(name)] as const);
  const read: Columns = { ...inserted, ...defaulted };
  const types = givenNames.map(([name, sql]) => `${sql} ${given[name]?.type}`);
  return {
    /** Types of a row and of a new one; not there when the program runs. */
    types: undefined as unknown as { row: Row<I & D>; newRow: NewRow<I & U> },

    /** All columns, by their names in the contract. */
    names: [...Object.keys({ ...given, ...read }), ...elsewhere],

    /** What makes a whole row, for `select` and `returning`. */
    columns: listed(Object.keys(read)),

    /** Inserts the rows of `parameter(…)`, which is `$1`. What follows may narrow them down; they are called `fresh`. */
    insert: `insert into ${table} (${listed(Object.keys(given))})
             select ${listed(Object.keys(given))} from jsonb_to_recordset($1) as fresh (${types.join(', ')})`,

    /** New rows as one parameter. Only what is inserted travels. */
    parameter(rows: readonly NewRow<I & U>[]): string {
      return jsonParameter(
        rows.map((row) =>
          Object.fromEntries(
            givenNames.map(([name, sql]) => {
              const value = (row as Record<string, unknown>)[name];
              return [sql, Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value];
            }),
          ),
        ),
      );
    },

    /** Makes what turns rows into what a schema of the contract has of them. */
    shownAs<Names extends string>(schema: { shape: Record<Names, unknown> }) {
      const names = Object.keys(schema.shape).filter((name) => name in read);
      const pairs = names.map((name) => [name, sqlName(name)] as const);
      return (row: Row<I & D>): Shown<I & D, Names> => {
        const shown: Record<string, unknown> = {};
        for (const [name, sql] of pairs) {
          const value = (row as Record<string, unknown>)[sql];
          shown[name] =
            value instanceof Date
              ? value.toISOString()
              : Buffer.isBuffer(value)
                ? value.toString('hex')
                : value;
        }
        return shown as Shown<I & D, Names>;
      };
    },

    /** Selects all columns by their names in the contract, but for those that are left out or have another name. */
    named(but: { [N in keyof (I & U & D) | E[number]]?: string | false }): string {
      const other = but as Record<string, string | false | undefined>;
      return this.names
        .filter((name) => other[name] !== false)
        .map((name) => `${sqlName(name)} as "${other[name] ?? name}"`)
        .join(', ');
    },
  };
}
