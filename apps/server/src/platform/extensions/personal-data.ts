/** References of extensions' tables to people and organizations: the check at the start, and the parts of "my data". */
import { StartUpError } from '../config/start-up-error.ts';
import { rowsOf, type Queryable } from '../database/database.ts';
import type { Extension, LoadedExtension, PersonalTable } from './extension.ts';

type Reference = {
  table: string;
  column: string;
  referenced: 'people' | 'organizations';
  /** `confdeltype`: c for cascade, n for set null. */
  action: string;
};

const actionOf: Record<PersonalTable['onRemoval'], string> = { delete: 'c', anonymize: 'n' };
const page = 'docs/build-a-portal.md';

/** Throws a StartUpError if a table references people without a declaration, or could block a removal or deletion. */
export async function checkReferences(
  database: Queryable,
  extensions: readonly (LoadedExtension & { definition: Extension })[],
): Promise<void> {
  for (const { name, definition } of extensions) {
    if (!definition.migrations) continue;
    const references = await readReferences(database, name.replaceAll('-', '_'));
    const found = references.map((one) => findProblem(one, definition)).find((problem) => problem !== null);
    if (found !== undefined) throw new StartUpError(`The extension ${name}: ${found} See ${page}.`);
    const { personalData = {} } = definition;
    const [undone] = Object.entries(personalData).filter(
      ([table, { person }]) => !references.some((one) => one.table === table && one.column === person),
    );
    if (undone)
      throw new StartUpError(
        `The extension ${name}: personalData names ${undone[0]}.${undone[1].person}, which does not reference people. See ${page}.`,
      );
  }
}

function findProblem(
  { table, column, referenced, action }: Reference,
  { personalData = {} }: Extension,
): string | null {
  if (referenced === 'organizations')
    return column === 'organization_id' && action === 'c'
      ? null
      : `${table}.${column} references organizations. Name it organization_id and add "on delete cascade".`;
  const declared = personalData[table];
  if (declared?.person !== column)
    return `${table}.${column} references people, but personalData does not declare it.`;
  const { onRemoval } = declared;
  return action === actionOf[onRemoval]
    ? null
    : `personalData declares onRemoval "${onRemoval}" for ${table}. Add "on delete ${onRemoval === 'delete' ? 'cascade' : 'set null'}" to ${table}.${column}.`;
}

const readReferences = (database: Queryable, prefix: string): Promise<Reference[]> =>
  rowsOf<Reference>(
    database,
    `select conrelid::regclass::text as table, attname as column, confrelid::regclass::text as referenced,
       confdeltype as action
     from pg_constraint join pg_class on pg_class.oid = conrelid
       join pg_attribute on attrelid = conrelid and attnum = any(conkey)
     where contype = 'f' and confrelid in ('people'::regclass, 'organizations'::regclass)
       and (relname = $1 or starts_with(relname, $1 || '_'))
     order by 1, 2`,
    [prefix],
  );

const camelCase = (column: string) =>
  column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns statements that read the rows of person `$1`, one JSON text per row. */
export const personalDataParts = ({ name, personalData = {} }: Extension) =>
  Object.entries(personalData).map(([table, { person, columns }]) => ({
    name: `${name}/${table}`,
    text: `select to_jsonb(own) from (
             select ${columns.map((column) => `${column} as "${camelCase(column)}"`).join(', ')}
             from ${table} where ${person} = $1) own`,
  }));
