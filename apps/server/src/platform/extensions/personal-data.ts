/** References of extensions' tables to people and organizations: the check at the start, and the parts of "my data". */
import { StartUpError } from '../config/start-up-error.ts';
import { rowsOf, type Queryable } from '../database/database.ts';
import { guide } from './guide.ts';
import type { Extension, PersonalTable } from './extension.ts';

type Reference = {
  table: string;
  column: string;
  referenced: 'people' | 'organizations';
  /** `confdeltype`: c for cascade, n for set null. */
  action: string;
};

const actionOf: Record<PersonalTable['onRemoval'], string> = { delete: 'c', anonymize: 'n' };

/**
 * Throws a StartUpError if a table references people without a declaration, or could block a removal or deletion. Runs in
 * the transaction of the extension's migrations.
 */
export async function checkReferences(
  transaction: Queryable,
  name: string,
  definition: Extension,
): Promise<void> {
  const references = await readReferences(transaction, name.replaceAll('-', '_'));
  const problem =
    references.map((one) => findProblem(one, definition)).find((found) => found !== null) ??
    findUnused(references, definition);
  if (problem !== null)
    throw new StartUpError(
      `The extension ${name}: ${problem} Its migrations were not applied. See ${guide}.`,
    );
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
  if (declared === undefined)
    return `${table}.${column} references people, but personalData does not declare it. Add ${table}: { person: '${column}', onRemoval: …, columns: […] } to personalData.`;
  if (declared.person !== column)
    return `${table}.${column} references people, but personalData declares ${table}.${declared.person}. Correct "person", or remove the reference: a table can have one.`;
  const { onRemoval } = declared;
  return action === actionOf[onRemoval]
    ? null
    : `personalData declares onRemoval "${onRemoval}" for ${table}. Add "on delete ${onRemoval === 'delete' ? 'cascade' : 'set null'}" to ${table}.${column}.`;
}

function findUnused(references: Reference[], { personalData = {} }: Extension): string | null {
  const unused = Object.entries(personalData).find(
    ([table, { person }]) => !references.some((one) => one.table === table && one.column === person),
  );
  return unused
    ? `personalData names ${unused[0]}.${unused[1].person}, which does not reference people. Correct the name, or add "references people" to the column.`
    : null;
}

const readReferences = (database: Queryable, prefix: string): Promise<Reference[]> =>
  rowsOf<Reference>(database)`
    select conrelid::regclass::text as table, attname as column, confrelid::regclass::text as referenced,
      confdeltype as action
    from pg_constraint join pg_class on pg_class.oid = conrelid
      join pg_attribute on attrelid = conrelid and attnum = any(conkey)
    where contype = 'f' and confrelid in ('people'::regclass, 'organizations'::regclass)
      and (relname = ${prefix} or starts_with(relname, ${prefix} || '_'))
    order by 1, 2`;

const camelCase = (column: string) =>
  column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns statements that read the rows of person `$1`. */
export const personalDataParts = ({ name, personalData = {} }: Extension) =>
  Object.entries(personalData).map(([table, { person, columns }]) => ({
    name: `${name}/${table}`,
    text: `select ${columns.map((column) => `${column} as "${camelCase(column)}"`).join(', ')}
           from ${table} where ${person} = $1`,
  }));
