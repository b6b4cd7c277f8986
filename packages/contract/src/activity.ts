/** Activity: the audit log, read by administrators, and the check that nobody has altered it. */
import * as z from 'zod/mini';
import { NamedPerson } from './people/named-person.ts';
import { defineRoute } from './route.ts';
import { exportErrors, exportMedia, exportOf, listQuery, Moment, page, streamed } from './values.ts';

/** One row of the audit log. `action` is `area.what_happened`, such as `invitation.revoked`. */
export const Activity = z.object({
  id: z.number(),
  at: Moment,
  actor: z.string(),
  /** Who is inside by the actor's address today, and by the target's where that is a person or an invitation. */
  actorPerson: z.nullable(NamedPerson),
  targetPerson: z.nullable(NamedPerson),
  /** The name of the personal access token that a program of the actor's called with. */
  tokenName: z.nullable(z.string()),
  action: z.string(),
  target: z.string(),
  targetType: z.string(),
  targetId: z.string(),
  /** The network address that the request came from. */
  address: z.string(),
  /** Finds the request in the server's log. */
  requestId: z.string(),
  /** What changed; where something did, `before` and `after` by field. */
  detail: z.record(z.string(), z.unknown()),
});
export type Activity = z.output<typeof Activity>;

/** What the log is filtered by. */
const activityColumns = ['at', 'actor', 'action', 'target', 'address'] as const;
export type ActivityColumn = (typeof activityColumns)[number];

export const listActivity = defineRoute('GET /api/activity', {
  access: 'admin',
  scope: 'activity:read',
  summary: 'Who did what to whom, when and from where, paged.',
  query: listQuery(['at'], activityColumns),
  answer: page(Activity),
});

export const exportActivity = defineRoute('POST /api/activity/export', {
  access: 'admin',
  scope: 'activity:read',
  summary: 'All matching entries, as CSV or as a workbook.',
  body: exportOf(['at'], activityColumns, activityColumns),
  media: exportMedia,
  answer: streamed,
  errors: [exportErrors.busy],
});

export const verifyActivity = defineRoute('GET /api/activity/verification', {
  access: 'admin',
  scope: 'activity:read',
  summary:
    'Compares the next part of the log, about 20,000 entries, with its seals. Start with after=0 and continue with `lastSeal` until `done`.',
  query: z.object({
    after: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0),
  }),
  answer: z.object({
    /** Entries compared in this step. */
    checked: z.number(),
    lastSeal: z.number(),
    done: z.boolean(),
    /** The first thing that is not as it was. */
    problem: z.nullable(
      z.object({
        kind: z.enum(['altered', 'removed', 'inserted', 'seal']),
        rowId: z.nullable(z.number()),
        message: z.string(),
      }),
    ),
    /** Entries that are sealed, and newer ones that will be within seconds. */
    sealed: z.number(),
    unsealed: z.number(),
    /** When the oldest entry was written. */
    since: z.nullable(Moment),
  }),
});
