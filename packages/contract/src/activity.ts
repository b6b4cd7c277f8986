/** The audit log and its verification, for administrators. */
import * as z from 'zod/mini';
import { organizationPermissions } from './organizations/permissions.ts';
import { NamedPerson } from './people/named-person.ts';
import { defineRoute } from './route.ts';
import { exportOf, Id, listQuery, Moment, page } from './values.ts';

/** One row of the audit log. `action` is `area.what_happened`, such as `invitation.revoked`. */
export const Activity = z.object({
  id: z.number(),
  at: Moment,
  actor: z.string(),
  /**
   * Current member with the actor's address. `targetPerson` is the current member with the target's address, if the target is a person or
   * an invitation.
   */
  actorPerson: z.nullable(NamedPerson),
  targetPerson: z.nullable(NamedPerson),
  tokenName: z.nullable(z.string()),
  action: z.string(),
  target: z.string(),
  targetType: z.string(),
  targetId: z.string(),
  address: z.string(),
  requestId: z.string(),
  /** Details of the action. For changes, `before` and `after` have the values by field. */
  detail: z.record(z.string(), z.unknown()),
});
export type Activity = z.output<typeof Activity>;

const activityColumns = ['at', 'actor', 'action', 'target', 'address'] as const;
export type ActivityColumn = (typeof activityColumns)[number];

export const listActivity = defineRoute('GET /api/activity', {
  access: 'admin',
  scope: 'activity:read',
  summary: 'Who did what to whom, when and from where, paged.',
  query: listQuery(['at'], activityColumns),
  response: page(Activity),
});

export const exportActivity = defineRoute('POST /api/activity/export', {
  access: 'admin',
  scope: 'activity:read',
  summary: 'All matching entries, as CSV or as a workbook.',
  ...exportOf(['at'], activityColumns, activityColumns),
});

/** Entry as managers of an organization see it: network addresses are for administrators of the site. */
export const OrganizationActivity = z.omit(Activity, { address: true });
export type OrganizationActivity = z.output<typeof OrganizationActivity>;

const organizationActivityColumns = ['at', 'actor', 'action', 'target'] as const;
const organizationParams = z.object({ organizationId: Id });

export const listOrganizationActivity = defineRoute('GET /api/organizations/:organizationId/activity', {
  access: { permission: organizationPermissions.readActivity.name },
  summary: 'Who did what in an organization and when, paged.',
  params: organizationParams,
  query: listQuery(['at'], organizationActivityColumns),
  response: page(OrganizationActivity),
});

export const exportOrganizationActivity = defineRoute(
  'POST /api/organizations/:organizationId/activity/export',
  {
    access: { permission: organizationPermissions.readActivity.name },
    summary: 'All matching entries of an organization, as CSV or as a workbook.',
    params: organizationParams,
    ...exportOf(['at'], organizationActivityColumns, organizationActivityColumns),
  },
);

export const verifyActivity = defineRoute('GET /api/activity/verification', {
  access: 'admin',
  scope: 'activity:read',
  summary:
    'Compares the next part of the log, about 20,000 entries, with its seals. Start with after=0 and continue with `lastSeal` until `done`.',
  query: z.object({ after: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0) }),
  response: z.object({
    checked: z.number(),
    lastSeal: z.number(),
    done: z.boolean(),
    problem: z.nullable(
      z.object({
        kind: z.enum(['altered', 'removed', 'inserted', 'seal']),
        rowId: z.nullable(z.number()),
        message: z.string(),
      }),
    ),
    /** Number of sealed entries. The newer entries (`unsealed`) are sealed within seconds. */
    sealed: z.number(),
    unsealed: z.number(),
    since: z.nullable(Moment),
  }),
});
