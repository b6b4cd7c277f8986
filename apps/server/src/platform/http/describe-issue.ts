import type { $ZodRawIssue } from 'zod/v4/core';

/** Names of JSON types in messages. Others, such as `string`, are preceded by an article. */
const types: Record<string, string> = {
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const formats: Record<string, string> = {
  email: 'an e-mail address',
  url: 'a URL',
  uuid: 'a UUID',
  datetime: 'a date and time such as 2026-12-31T09:00:00Z',
  date: 'a day such as 2026-12-31',
};

const units: Record<string, string> = { string: ' character', array: ' item' };

/** Returns the rule that a value breaks, for errors of schemas without their own message. */
export function describeIssue(issue: $ZodRawIssue): string {
  const expected = describeExpected(issue);
  if (expected === undefined) return 'This value is not allowed here.';
  return issue.input === undefined ? `This field is missing. Send ${expected}.` : `Send ${expected}.`;
}

function describeExpected(issue: $ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return types[issue.expected] ?? `a ${issue.expected}`;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'invalid_union':
      return Array.isArray(issue.options) ? oneOf(issue.options) : undefined;
    case 'invalid_format':
      return formats[issue.format];
    case 'too_small':
      return `at least ${formatAmount(issue.minimum, issue.origin)}`;
    case 'too_big':
      return `at most ${formatAmount(issue.maximum, issue.origin)}`;
    default:
      return undefined;
  }
}

function formatAmount(amount: number | bigint, origin: string): string {
  const unit = units[origin];
  return unit === undefined ? String(amount) : `${amount}${unit}${amount === 1 ? '' : 's'}`;
}

function oneOf(values: readonly unknown[]): string {
  const names = values.map((value) => JSON.stringify(value)).join(', ');
  return values.length > 1 ? `one of ${names}` : names;
}
