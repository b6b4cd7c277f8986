/** Span names of statements: they contain no values, only the command and the table. */
import { BoundedMap } from '../bounded-map.ts';
import type { SpanAttributes } from '../telemetry/current-span.ts';

const verb = /^(?:\s|--[^\n]*\n|\()*([a-z]+)/i;
/** For a query with `with … as (…)`, the first table is sufficient. */
const table = /\b(?:from|into|update)\s+("?[a-z_][\w.]*)/i;
const searchedCharacters = 2_000;
/** Names by the text of the statement. */
const known = new BoundedMap<string, string>(500);

/** Returns the prepared statement's name, or a name such as "select people". */
export function statementName({ name, text }: { name?: string; text: string }): string {
  if (name !== undefined) return name;
  const before = known.get(text);
  if (before !== undefined) return before;
  const command = verb.exec(text)?.[1]?.toLowerCase() ?? 'statement';
  const tableName = table.exec(text.slice(0, searchedCharacters))?.[1]?.replace('"', '');
  const found = tableName === undefined ? command : `${command} ${tableName}`;
  if (text.length <= searchedCharacters) known.set(text, found);
  return found;
}

/** Returns attributes of OpenTelemetry's semantic conventions for databases. */
export function statementAttributes(name: string): SpanAttributes {
  return { 'db.system.name': 'postgresql', 'db.query.summary': name };
}
