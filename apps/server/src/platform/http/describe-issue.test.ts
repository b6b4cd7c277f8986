import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { describeIssue } from './describe-issue.ts';

const id = '0192f0c1-2345-7abc-8def-0123456789ab';
test.each<[z.ZodMiniType, unknown, string]>([
  [z.string(), undefined, 'This field is missing. Send a string.'],
  [z.string(), 7, 'Send a string.'],
  [z.boolean(), 'yes', 'Send true or false.'],
  [z.array(z.string()), 'a', 'Send an array.'],
  [z.record(z.string(), z.string()), [], 'Send an object.'],
  [z.number().check(z.int()), 1.5, 'Send an integer.'],
  [z.number().check(z.minimum(1), z.maximum(9)), 0, 'Send at least 1.'],
  [z.coerce.number(), 'ten', 'Send a number.'],
  [z.enum(['member', 'admin']), 'owner', 'Send one of "member", "admin".'],
  [z.enum(['member', 'admin']), undefined, 'This field is missing. Send one of "member", "admin".'],
  [z.literal('x'), 'y', 'Send "x".'],
  [z.string().check(z.maxLength(3)), 'long', 'Send at most 3 characters.'],
  [z.array(z.string()).check(z.minLength(1)), [], 'Send at least 1 item.'],
  [z.uuid(), id.slice(1), 'Send a UUID.'],
  [z.iso.datetime(), 'now', 'Send a date and time such as 2026-12-31T09:00:00Z.'],
  [z.string().check(z.regex(/^a/)), 'b', 'This value is not allowed here.'],
  [z.union([z.string(), z.null()]), 7, 'This value is not allowed here.'],
  [
    z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]),
    {},
    'Send one of "a", "b".',
  ],
  [z.string('Enter a name.'), 7, 'Enter a name.'],
])('describeIssue names what is allowed: %#', (schema, value, message) => {
  expect(schema.safeParse(value, { error: describeIssue }).error?.issues[0]?.message).toBe(message);
});
