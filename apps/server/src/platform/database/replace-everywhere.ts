/**
 * Replaces a text in every text, JSON and text list column of every table that this role may update, including tables
 * of other features and of a team's extensions. Works in small steps, one statement each.
 */
import { getSpellings } from '@vestibule/contract/rules/clean-text';
import { execute, rowsOf, type Queryable } from './database.ts';

/** Regular expression in both dialects, which differ in the character classes of the word boundary. */
export type TextPattern = { postgres: string; javascript: RegExp };

/** About 40 MB of a table. */
const blocksPerStatement = 5_000;

type Table = { name: string; columns: { name: string; type: string }[]; blocks: number };

/**
 * Returns the number of changed rows. `except` names tables that are handled separately. `keep.tables` contains SQL
 * conditions for rows that must not change, keyed by table; `$5` in them is `keep.value`.
 */
export async function replaceEverywhere(
  database: Queryable,
  pattern: TextPattern,
  replacement: string,
  { except, keep }: { except: string[]; keep: { tables: Record<string, string>; value: unknown } },
): Promise<number> {
  let changed = 0;
  for (const { name, columns, blocks } of await readTables(database, except)) {
    const all = columns.map((column) => `${column.name}::text`).join(`, `);
    const set = columns.map(
      (column) => `${column.name} = regexp_replace(${column.name}::text, $1, $2, 'gi')::${column.type}`,
    );
    const excludedRows = keep.tables[name];
    for (let from = 0; from <= blocks; from += blocksPerStatement) {
      const rowCount = await execute(database, {
        text: `update ${name} set ${set.join(', ')}
               where ctid >= $3::tid and ctid < $4::tid and concat_ws(' ', ${all}) ~* $1
                 ${excludedRows === undefined ? '' : `and not (${excludedRows})`}`,
        values: [
          pattern.postgres,
          replacement,
          `(${from},0)`,
          `(${from + blocksPerStatement},0)`,
          ...(excludedRows === undefined ? [] : [keep.value]),
        ],
      });
      changed += rowCount ?? 0;
    }
  }
  return changed;
}

const readTables = (database: Queryable, except: string[]) =>
  rowsOf<Table>(database)`
    select format('%I.%I', nspname, relname) as name, pg_relation_size(c.oid) / 8192 as blocks,
      jsonb_agg(jsonb_build_object('name', quote_ident(attname), 'type', format_type(atttypid, null))) as columns
    from pg_class c join pg_namespace n on n.oid = relnamespace join pg_attribute a on attrelid = c.oid
    where relkind = 'r' and nspname !~ '^(pg_|information_schema$)'
      and relname <> all(${['schema_migrations', ...except]})
      and attnum > 0 and not attisdropped and attgenerated = ''
      and atttypid = any('{text,varchar,bpchar,json,jsonb,text[],varchar[]}'::regtype[])
      and has_table_privilege(c.oid, 'update')
    group by 1, 2 order by 1`;

/**
 * Matches any of these texts, ignoring case, unless a neighbouring character of kind `boundary` makes it part of another
 * text. Returns null for no texts.
 */
export function createPattern(texts: string[], boundary: 'address' | 'name' | 'network'): TextPattern | null {
  if (texts.length === 0) return null;
  // Includes each text as JSON escapes it, and in NFD, in which old rows of the audit log may contain it.
  const spellings = new Set(
    texts.flatMap(getSpellings).flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]),
  );
  const alternatives = [...spellings]
    .toSorted((one, other) => other.length - one.length)
    .map((text) => {
      const escaped = text.replaceAll(/[\\^$.|?*+(){}[\]/]/g, String.raw`\$&`);
      // File names join the words of a name with other characters.
      return boundary === 'name' ? escaped.replaceAll(/\s+/g, String.raw`[\s_.-]{1,3}`) : escaped;
    })
    .join('|');
  const make = boundaries[boundary];
  return {
    postgres: make(alternatives, { letter: '[:alpha:]', sign: '[:alnum:]_' }),
    javascript: new RegExp(
      make(alternatives, { letter: String.raw`\p{L}`, sign: String.raw`\p{L}\p{N}_` }),
      'giu',
    ),
  };
}

/** Extensions of files that are named after an address, such as `ann@example.com.pdf`. Others can be part of a domain. */
const fileExtensions =
  'avif|bmp|csv|docx?|eml|gif|heic|html?|jpe?g|json|md|mp[34]|msg|od[pst]|pdf|png|pptx?|rtf|svg|txt|vcf|webp|xlsx?|xml|zip';

/** Characters that must not adjoin a match; `letter` and `sign` are the contents of character classes. */
const boundaries = {
  address: (text: string, { sign }: CharacterClasses) =>
    String.raw`(?<![${sign}.%+-])(?:${text})(?![${sign}-]|\.(?!(?:${fileExtensions})(?![${sign}-]|\.[${sign}]))[${sign}])`,
  name: (text: string, { letter }: CharacterClasses) => `(?<![${letter}])(?:${text})(?![${letter}])`,
  network: (text: string, { sign }: CharacterClasses) =>
    String.raw`(?<![${sign}.:])(?:${text})(?![${sign}:]|\.[${sign}])`,
};
type CharacterClasses = { letter: string; sign: string };

/** Replaces matches in the texts of a JSON value, at any depth. */
export function replaceInJson(
  value: unknown,
  patterns: readonly TextPattern[],
  replacement: string,
): unknown {
  if (typeof value === 'string')
    return patterns.reduce((text, { javascript }) => text.replaceAll(javascript, replacement), value);
  if (Array.isArray(value)) return value.map((one) => replaceInJson(one, patterns, replacement));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      replaceInJson(name, patterns, replacement),
      replaceInJson(one, patterns, replacement),
    ]),
  );
}
