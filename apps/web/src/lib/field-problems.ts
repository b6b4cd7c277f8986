/** Validates fields in the browser with the contract's schemas. */
import { findSchemaMessage } from '@vestibule/contract/texts/text';
import { formatMessage } from '../language/format-message.ts';

type Issue = { path: PropertyKey[]; message: string };
type Schema = { safeParse: (value: unknown) => { error?: { issues: Issue[] } | undefined } };

const formatIssue = ({ message }: Issue) =>
  formatMessage(findSchemaMessage(message) ?? { code: '', message });

/** Returns the first problem of a value, translated. */
export const firstProblem = (schema: Schema, value: unknown): string | undefined =>
  schema.safeParse(value).error?.issues.map(formatIssue)[0];

export function problemsByField(schema: Schema, values: object): Record<string, string> {
  const issues = schema.safeParse(values).error?.issues ?? [];
  // Reversed, so that the first problem of a field wins.
  return Object.fromEntries(issues.map((issue) => [String(issue.path[0]), formatIssue(issue)]).toReversed());
}
