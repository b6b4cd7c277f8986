/** The profile: what somebody sees of themselves and decides for themselves. */
import * as z from 'zod/mini';
import { SignIn } from './people.ts';
import { NamedPerson } from './people/named-person.ts';
import { defineErrors, defineRoute } from './route.ts';
import { Moment, streamed } from './values.ts';

/** How often somebody may download their data, within an hour. */
export const dataDownloadsPerHour = 5;

export const profileErrors = defineErrors('profile', {
  429: {
    tooManyDownloads: `You have downloaded your data ${dataDownloadsPerHour} times in the last hour. Use the file you have, or try again later.`,
  },
});

export const OwnSignIn = z.extend(SignIn, {
  /** The one that this call is made with. */
  current: z.boolean(),
  /** Opens nothing any more since the person was signed out everywhere. */
  ended: z.boolean(),
});
export type OwnSignIn = z.output<typeof OwnSignIn>;

export const getProfile = defineRoute('GET /api/users/me/profile', {
  access: 'member',
  summary: 'When the caller joined, and when, from where and with what they signed in.',
  answer: z.object({
    joinedAt: Moment,
    invitedBy: z.nullable(z.string()),
    /** The same by name; null for nobody who is still inside. */
    inviter: z.nullable(NamedPerson),
    /** The newest 50, newest first. */
    signIns: z.array(OwnSignIn),
    /** Personal access tokens of the caller that still work. */
    workingTokens: z.number(),
  }),
});

export const signOutEverywhere = defineRoute('POST /api/users/me/sign-out-everywhere', {
  access: 'member',
  summary:
    'Ends every sign-in of the caller, including this one: their tokens are refused from now on, renewed ones included. Personal access tokens keep working unless `revokeTokens` is true.',
  body: z.strictObject({
    /** Whether the caller's personal access tokens are revoked with it. */
    revokeTokens: z.boolean('Say whether the access tokens are revoked as well: true or false.'),
  }),
  answer: z.object({ at: Moment }),
});

export const downloadMyData = defineRoute('GET /api/users/me/data', {
  access: 'member',
  summary: `Everything stored about the caller, as one JSON file. Up to ${dataDownloadsPerHour} times an hour.`,
  media: ['application/json'],
  answer: streamed,
  errors: [profileErrors.tooManyDownloads],
});
