/** Spans of SQL statements. */
import { currentSpan, traced } from './current-span.ts';

type Statement = { name?: string; text: string };

/** Runs a statement in a span of its request, which includes the wait for a connection. */
export function runInSpan<Result>(config: Statement, work: () => Promise<Result>): Promise<Result> {
  if (currentSpan.getStore() === undefined) return work();
  const name = statementName(config);
  // Names of OpenTelemetry's semantic conventions for databases.
  return traced(name, 'client', { 'db.system.name': 'postgresql', 'db.query.summary': name }, work);
}

const verb = /^(?:\s|--[^\n]*\n|\()*([a-z]+)/i;
/** For a query with `with … as (…)`, the first table is sufficient. */
const table = /\b(?:from|into|update)\s+"?([a-z_][\w.]*)/i;

/** Returns the prepared statement's name, or a name without values, such as "select people". */
export function statementName({ name, text }: Statement): string {
  if (name !== undefined) return name;
  const command = verb.exec(text)?.[1]?.toLowerCase() ?? 'statement';
  const tableName = table.exec(text)?.[1];
  return tableName === undefined ? command : `${command} ${tableName}`;
}
