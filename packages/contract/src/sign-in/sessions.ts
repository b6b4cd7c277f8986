/** Sessions: where somebody is signed in through an OpenID Provider, and the ends of that. */
import * as z from 'zod/mini';
import { personErrors } from '../people.ts';
import { requestErrors } from '../request-errors.ts';
import { defineErrors, defineRoute } from '../route.ts';
import { pageLanguage, returnTo, signInProblems, signInStartErrors, wayId } from '../sign-in.ts';
import { Id, Moment } from '../values.ts';

export const sessionErrors = defineErrors('session', {
  404: { notFound: 'This sign-in does not exist or has already ended.' },
});

export const Session = z.object({
  id: Id,
  /** The name of the provider it came through. */
  way: z.string(),
  /** The network address it was last used from. */
  address: z.string(),
  /** Such as `Firefox` and `Windows`; null for programs that do not say it. */
  browser: z.nullable(z.string()),
  system: z.nullable(z.string()),
  since: Moment,
  lastSeenAt: Moment,
  /** The one that this call is made with. */
  current: z.boolean(),
});
export type Session = z.output<typeof Session>;

const answer = z.object({ rows: z.array(Session) });

export const listSessions = defineRoute('GET /api/users/me/sessions', {
  access: 'member',
  summary: 'Where the caller is signed in now, the most recently used first.',
  answer,
});

export const endMySession = defineRoute('POST /api/users/me/sessions/:sessionId/end', {
  access: 'member',
  summary: 'Signs the caller out in one browser.',
  params: z.object({ sessionId: Id }),
  answer: z.object({ id: Id }),
  errors: [sessionErrors.notFound],
});

export const endOtherSessions = defineRoute('POST /api/users/me/sessions/end-others', {
  access: 'member',
  summary: 'Signs the caller out everywhere except here.',
  answer: z.object({ ended: z.number() }),
});

export const confirmSignIn = defineRoute('POST /api/users/me/confirm', {
  access: 'member',
  summary:
    'Starts a sign-in that confirms who the caller is, for actions that need a recent one, and returns the address to open.',
  body: z.strictObject({
    /** A way of the caller's; left out, the one that their session came by. */
    way: z.optional(wayId),
    returnTo,
    language: pageLanguage,
  }),
  answer: z.object({ url: z.string() }),
  errors: [
    signInStartErrors.wayUnknown,
    signInProblems.cannotConfirm,
    signInProblems.providerDown,
    requestErrors.tooMany,
  ],
});

export const endSession = defineRoute('POST /api/sign-out', {
  access: 'public',
  sameOrigin: true,
  summary: 'Ends the session of this browser, and returns the address where the provider ends its own.',
  answer: z.object({
    /** Null where the provider has no such address, or there was no session. */
    url: z.nullable(z.string()),
  }),
});

export const listSessionsOf = defineRoute('GET /api/people/:personId/sessions', {
  access: 'admin',
  scope: 'people:read',
  summary: 'Where a person is signed in now.',
  params: z.object({ personId: Id }),
  answer,
  errors: [personErrors.notFound],
});

export const endSessionOf = defineRoute('POST /api/people/:personId/sessions/:sessionId/end', {
  access: 'admin',
  scope: 'people:write',
  summary: 'Signs a person out in one browser.',
  params: z.object({ personId: Id, sessionId: Id }),
  answer: z.object({ id: Id }),
  errors: [sessionErrors.notFound],
});
