/** The contract's own rules, asked in the browser, so that nobody waits for the server to hear of a typing error. */
import { findSchemaMessage } from '@vestibule/contract/texts/text';
import { formatMessage } from '../language/format-message.ts';

type Issue = { path: PropertyKey[]; message: string };
type Schema = { safeParse: (value: unknown) => { error?: { issues: Issue[] } | undefined } };

const inWords = ({ message }: Issue) => formatMessage(findSchemaMessage(message) ?? { code: '', message });

/** What is wrong with a value, in the site's language; undefined when nothing is. */
export function problemOf(schema: Schema, value: unknown): string | undefined {
  return schema.safeParse(value).error?.issues.map(inWords)[0];
}

/** What is wrong with the fields of an object, by their names. */
export function problemsOf(schema: Schema, values: object): Record<string, string> {
  const issues = schema.safeParse(values).error?.issues ?? [];
  // The first of a field counts.
  return Object.fromEntries(issues.map((issue) => [String(issue.path[0]), inWords(issue)]).toReversed());
}
