/** Inviting many at once: what would happen (a dry run), doing it once however often it is asked, and taking it back. */
import * as z from 'zod/mini';
import { fieldTexts } from '../texts/field-texts.ts';
import { invitationErrors } from '../invitations.ts';
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

/** One row as it was typed or stands in a file. It need not be right: the verdict says what is wrong. */
export const BatchRow = z.strictObject({
  email: rawText(rowTextMaximum.email),
  name: z.optional(rawText(rowTextMaximum.name)),
  /** `member` or `admin`; left out or empty, the role of the whole list. */
  role: z.optional(rawText(100)),
  /** Left out or empty, the message of the whole list. */
  message: z.optional(rawText(rowTextMaximum.message)),
  /** The number by which people know it, such as that of a spreadsheet's row; left out, its position in the list. */
  row: z.optional(wholeNumber([1, 10_000_000], fieldTexts.wholeNumber)),
});
export type BatchRow = z.input<typeof BatchRow>;

const roles = new Map<string, Role>([
  ['member', 'member'],
  ['admin', 'admin'],
  ['administrator', 'admin'],
]);

/** The role that a row asks for; undefined for a word that is none. */
export const roleOfRow = ({ role }: BatchRow, ofList: Role): Role | undefined =>
  roles.get(role?.trim().toLowerCase() || ofList);

const { email: _email, name: _name, ...options } = NewInvitation.shape;

/** What is said of everybody on a list is what is said of one person. */
const list = {
  rows: z
    .array(BatchRow)
    .check(
      z.minLength(1, schemaMessage(fieldTexts.rowsMissing)),
      z.maxLength(batchMaximum, schemaMessage(fieldTexts.tooManyRows, { maximum: batchMaximum })),
    ),
  ...options,
};

/**
 * What becomes of a row. `invited`: there is an open invitation, which can be sent again. `look_alike`: it could be
 * invited, but looks so much like an address that is there already that somebody should look at it. `doubtful_domain`: it is
 * invited like `new`, but its domain looks like a slip, or takes no mail.
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

/** The verdict on a row, with what will happen and why in a sentence. */
export const RowCheck = z.extend(Message, {
  /** The number that came with it, or its position in the list, from 1. */
  row: z.number(),
  /** The address as it would be used, or the text where it is none. */
  email: z.string(),
  verdict: RowVerdict,
  /** Of `duplicate`: the row that has the address first. */
  firstRow: z.nullable(z.number()),
  /** Of `look_alike`: the address that it looks like, of a person, an open invitation or an earlier row. */
  looksLike: z.nullable(z.string()),
  /** Of `doubtful_domain`: the address that was probably meant, where one suggests itself. */
  suggestion: z.nullable(z.string()),
});
export type RowCheck = z.output<typeof RowCheck>;

/** How many rows got each verdict. */
export const VerdictCounts = z.record(RowVerdict, z.number());
export type VerdictCounts = z.output<typeof VerdictCounts>;

export const checkInvitations = defineRoute('POST /api/invitations/check', {
  access: 'admin',
  scope: 'invitations:read',
  summary: 'Checks each row of a list and says what inviting it would do. Changes nothing.',
  bodyLimit: batchBodyLimit,
  body: z.strictObject(list),
  answer: z.object({ rows: z.array(RowCheck), counts: VerdictCounts }),
});

const BatchCounts = z.object({
  /** New invitations. */
  created: z.number(),
  /** Open invitations that were sent again. */
  sentAgain: z.number(),
  /** Rows that nothing was done about. */
  skipped: z.number(),
});

export const Batch = z.object({
  id: Id,
  createdAt: Moment,
  createdBy: z.string(),
  counts: BatchCounts,
});
export type Batch = z.output<typeof Batch>;

/** Who is inside by the address of whoever sent it. */
const NamedBatch = z.extend(Batch, { inviter: z.nullable(NamedPerson) });

export const createBatch = defineRoute('POST /api/invitations/batches', {
  access: 'admin',
  scope: 'invitations:write',
  fresh: ({ rows, role }: { rows: BatchRow[]; role: Role }) =>
    rows.some((row) => roleOfRow(row, role) === 'admin'),
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
    ...list,
    /** Also send again what is `invited`. */
    sendAgain: z._default(z.boolean(), false),
    /** Also invite what is `look_alike`. */
    inviteLookAlikes: z._default(z.boolean(), false),
  }),
  answer: Batch,
  errors: [batchErrors.keyTaken, invitationErrors.fileUnknown],
});

/** A batch and what became of the invitations that it created. */
export const BatchProgress = z.extend(NamedBatch, {
  mails: z.object({ none: z.number(), queued: z.number(), sent: z.number(), failed: z.number() }),
  redeemed: z.number(),
  revoked: z.number(),
  /** What could still lead in, that which has expired included: what undoing would revoke. */
  open: z.number(),
  undoneAt: z.nullable(Moment),
});
export type BatchProgress = z.output<typeof BatchProgress>;

export const listBatches = defineRoute('GET /api/invitations/batches', {
  access: 'admin',
  scope: 'invitations:read',
  summary: 'The newest 50 batches of invitations, newest first.',
  answer: z.object({ rows: z.array(NamedBatch) }),
});

const oneBatch = z.object({ batchId: Id });

export const getBatch = defineRoute('GET /api/invitations/batches/:batchId', {
  access: 'admin',
  scope: 'invitations:read',
  summary: 'The progress of a batch: e-mails sent and failed, invitations redeemed.',
  params: oneBatch,
  answer: BatchProgress,
  errors: [batchErrors.notFound],
});

export const undoBatch = defineRoute('POST /api/invitations/batches/:batchId/undo', {
  access: 'admin',
  scope: 'invitations:write',
  summary:
    'Revokes what a batch created and nobody has redeemed. Pending e-mails are not sent. Invitations that it resent stay open.',
  params: oneBatch,
  answer: BatchProgress,
  errors: [batchErrors.notFound],
});
