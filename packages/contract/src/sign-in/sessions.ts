import * as z from 'zod/mini';
import { personErrors } from '../people.ts';
import { requestErrors } from '../request-errors.ts';
import { defineErrors, defineRoute, errorsOf } from '../route.ts';
import { pageLanguage, returnTo, signInProblems, signInStartErrors, signInMethodId } from '../sign-in.ts';
import { Id, Moment } from '../values.ts';

export const sessionErrors = defineErrors('session', {
  404: { notFound: 'This sign-in does not exist or has already ended.' },
});

export const Session = z.object({
  id: Id,
  way: z.string(),
  address: z.string(),
  /** Browser such as `Firefox`; null if unknown. `system` is the operating system, such as `Windows`. */
  browser: z.nullable(z.string()),
  system: z.nullable(z.string()),
  since: Moment,
  lastSeenAt: Moment,
  current: z.boolean(),
});
export type Session = z.output<typeof Session>;

const response = z.object({ rows: z.array(Session) });

export const listSessions = defineRoute('GET /api/users/me/sessions', {
  access: 'member',
  summary: "The caller's sessions, most recently used first.",
  response,
});

export const endMySession = defineRoute('POST /api/users/me/sessions/:sessionId/end', {
  access: 'member',
  summary: 'Signs the caller out in one browser.',
  params: z.object({ sessionId: Id }),
  response: z.object({ id: Id }),
  errors: [sessionErrors.notFound],
});

export const endOtherSessions = defineRoute('POST /api/users/me/sessions/end-others', {
  access: 'member',
  summary: 'Signs the caller out everywhere except here.',
  response: z.object({ ended: z.number() }),
});

export const confirmSignIn = defineRoute('POST /api/users/me/confirm', {
  access: 'member',
  summary: 'Starts a sign-in for actions that require a recent one, and returns the address to open.',
  body: z.strictObject({
    /** A sign-in method of the caller. Default: the method that started the session. */
    way: z.optional(signInMethodId),
    returnTo,
    language: pageLanguage,
  }),
  response: z.object({ url: z.string() }),
  errors: [
    signInStartErrors.wayUnknown,
    ...errorsOf(signInProblems, 'cannotConfirm', 'providerDown'),
    requestErrors.tooMany,
  ],
});

export const endSession = defineRoute('POST /api/sign-out', {
  access: 'public',
  sameOrigin: true,
  summary: 'Ends the session of this browser, and returns the address where the provider ends its own.',
  response: z.object({
    /** URL of the provider's sign-out page; null if the provider has none or there was no session. */
    url: z.nullable(z.string()),
  }),
});

export const listSessionsOf = defineRoute('GET /api/people/:personId/sessions', {
  access: 'admin',
  scope: 'people:read',
  summary: "A person's sessions, most recently used first.",
  params: z.object({ personId: Id }),
  response,
  errors: [personErrors.notFound],
});

export const endSessionOf = defineRoute('POST /api/people/:personId/sessions/:sessionId/end', {
  access: 'admin',
  scope: 'people:write',
  summary: 'Signs a person out in one browser.',
  params: z.object({ personId: Id, sessionId: Id }),
  response: z.object({ id: Id }),
  errors: [sessionErrors.notFound],
});
