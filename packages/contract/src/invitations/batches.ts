import * as z from 'zod/mini';
import { fieldTexts } from '../texts/field-texts.ts';
import { NewInvitation } from './new-invitation.ts';
import { NamedPerson } from '../people/named-person.ts';
import { batchMaximum, rowTextMaximum } from '../rules/limits.ts';
import type { Role } from '../rules/role.ts';
import { defineErrors, defineRoute } from '../route.ts';
import { Id, Moment, rawText, wholeNumber } from '../values.ts';
import { schemaMessage, Message } from '../texts/text.ts';

export const batchErrors = defineErrors('invitation_batch', {
  404: { notFound: 'This batch of invitations does not exist.' },
  409: {
    keyTaken:
      'This Idempotency-Key was used for a different list. Nothing was sent. Send the first list unchanged, or use a new key for this one.',
  },
});

const batchBodyLimit = 4 * 1024 * 1024;

/** Unchecked row of a list. Problems are reported in the verdict on the row. */
export const BatchRow = z.strictObject({
  email: rawText(rowTextMaximum.email),
  name: z.optional(rawText(rowTextMaximum.name)),
  /** `member` or `admin`. Default: the role of the list. */
  role: z.optional(rawText(100)),
  /** Default: the message of the list. */
  message: z.optional(rawText(rowTextMaximum.message)),
  /** Row number for messages, such as the row number in a spreadsheet. Default: the position in the list. */
  row: z.optional(wholeNumber([1, 10_000_000], fieldTexts.wholeNumber)),
});
export type BatchRow = z.input<typeof BatchRow>;

const roles = new Map<string, Role>([
  ['member', 'member'],
  ['admin', 'admin'],
  ['administrator', 'admin'],
]);

/** Returns the requested role; undefined if it is unknown. */
export const getRowRole = ({ role }: BatchRow, listRole: Role): Role | undefined =>
  roles.get(role?.trim().toLowerCase() || listRole);

const { email: _email, name: _name, ...sharedOptions } = NewInvitation.shape;

const listFields = {
  rows: z
    .array(BatchRow)
    .check(
      z.minLength(1, schemaMessage(fieldTexts.rowsMissing)),
      z.maxLength(batchMaximum, schemaMessage(fieldTexts.tooManyRows, { maximum: batchMaximum })),
    ),
  ...sharedOptions,
};

/**
 * Result of the check of a row. `invited`: an open invitation exists and can be resent. `look_alike`: the address is confusable with an
 * existing address. `doubtful_domain`: the row is invited like `new`, but the domain is probably a typo or has no mail server.
 */
export const RowVerdict = z.enum([
  'new',
  'member',
  'invited',
  'invalid',
  'domain_not_allowed',
  'duplicate',
  'look_alike',
  'doubtful_domain',
]);
export type RowVerdict = z.output<typeof RowVerdict>;

export const RowCheck = z.extend(Message, {
  /** Row number from the request, or the position in the list, starting at 1. */
  row: z.number(),
  /** The text as entered, trimmed and cut to 320 characters. */
  email: z.string(),
  verdict: RowVerdict,
  /** For `duplicate`, the first row with the address; otherwise null. */
  firstRow: z.nullable(z.number()),
  /** For `look_alike`, the similar address of a person, an open invitation or an earlier row; otherwise null. */
  looksLike: z.nullable(z.string()),
  /** For `doubtful_domain` and `invalid`, the address that was probably intended, if any; otherwise null. */
  suggestion: z.nullable(z.string()),
});
export type RowCheck = z.output<typeof RowCheck>;

export const VerdictCounts = z.record(RowVerdict, z.number());
export type VerdictCounts = z.output<typeof VerdictCounts>;

export const checkInvitations = defineRoute('POST /api/invitations/check', {
  access: 'admin',
  scope: 'invitations:read',
  summary: 'Checks each row of a list and returns the result that inviting it would have. Changes nothing.',
  bodyLimit: batchBodyLimit,
  body: z.strictObject(listFields),
  response: z.object({ rows: z.array(RowCheck), counts: VerdictCounts }),
});

const BatchCounts = z.object({ created: z.number(), sentAgain: z.number(), skipped: z.number() });

export const Batch = z.object({ id: Id, createdAt: Moment, createdBy: z.string(), counts: BatchCounts });
export type Batch = z.output<typeof Batch>;

const NamedBatch = z.extend(Batch, { inviter: z.nullable(NamedPerson) });

export const createBatch = defineRoute('POST /api/invitations/batches', {
  access: 'admin',
  scope: 'invitations:write',
  requiresRecentAuth: ({ rows, role }: { rows: BatchRow[]; role: Role }) =>
    rows.some((row) => getRowRole(row, role) === 'admin'),
  summary:
    'Invites a list, all of it or nothing. Repeating the call with the same Idempotency-Key and body changes nothing and returns the same response.',
  bodyLimit: batchBodyLimit,
  headers: z.object({
    'idempotency-key': z
      .string('Send the header Idempotency-Key: any text that is new for each list, such as a UUID.')
      .check(
        z.regex(/^[\x21-\x7e]{1,100}$/, 'An Idempotency-Key has 1 to 100 characters, ASCII without spaces.'),
      ),
  }),
  body: z.strictObject({
    ...listFields,
    sendAgain: z._default(z.boolean(), false),
    inviteLookAlikes: z._default(z.boolean(), false),
  }),
  response: Batch,
  errors: [batchErrors.keyTaken],
});

export const BatchProgress = z.extend(NamedBatch, {
  mails: z.object({ none: z.number(), queued: z.number(), sent: z.number(), failed: z.number() }),
  redeemed: z.number(),
  revoked: z.number(),
  /** Number of open and expired invitations, which an undo would revoke. */
  open: z.number(),
  undoneAt: z.nullable(Moment),
});
export type BatchProgress = z.output<typeof BatchProgress>;

export const listBatches = defineRoute('GET /api/invitations/batches', {
  access: 'admin',
  scope: 'invitations:read',
  summary: 'The newest 50 batches of invitations, newest first.',
  response: z.object({ rows: z.array(NamedBatch) }),
});

const batchParams = z.object({ batchId: Id });

export const getBatch = defineRoute('GET /api/invitations/batches/:batchId', {
  access: 'admin',
  scope: 'invitations:read',
  summary: 'The progress of a batch: e-mails sent and failed, invitations redeemed.',
  params: batchParams,
  response: BatchProgress,
  errors: [batchErrors.notFound],
});

export const undoBatch = defineRoute('POST /api/invitations/batches/:batchId/undo', {
  access: 'admin',
  scope: 'invitations:write',
  summary:
    'Revokes the unredeemed invitations that a batch created. Pending e-mails are not sent. Invitations that it resent stay open.',
  params: batchParams,
  response: BatchProgress,
  errors: [batchErrors.notFound],
});
