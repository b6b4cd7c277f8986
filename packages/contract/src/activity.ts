/** Activity: the audit log, read by administrators. */
import * as z from 'zod/mini';
import { defineRoute } from './route.ts';
import { listQuery, Moment, page } from './values.ts';

/** One row of the audit log. `action` is `area.what_happened`, such as `invitation.revoked`. */
export const Activity = z.object({
  id: z.number(),
  at: Moment,
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  /** The network address that the request came from. */
  address: z.string(),
  /** Finds the request in the server's log. */
  requestId: z.string(),
});
export type Activity = z.output<typeof Activity>;

export const listActivity = defineRoute({
  method: 'GET',
  path: '/api/activity',
  access: 'admin',
  summary: 'Who did what to whom, when and from where, by page.',
  query: listQuery(['at'], ['at', 'actor', 'action', 'target', 'address']),
  answer: page(Activity),
});
