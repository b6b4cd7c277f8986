import * as z from 'zod/mini';
import { SignIn } from './people.ts';
import { NamedPerson } from './people/named-person.ts';
import { defineErrors, defineRoute } from './route.ts';
import { Moment, streamed } from './values.ts';

export const dataDownloadsPerHour = 5;

export const profileErrors = defineErrors('profile', {
  429: {
    tooManyDownloads: `You have downloaded your data ${dataDownloadsPerHour} times in the last hour. Use the file you have, or try again later.`,
  },
});

export const OwnSignIn = z.extend(SignIn, {
  current: z.boolean(),
  /** Whether tokens of this sign-in are refused, because the person was signed out everywhere afterwards. */
  ended: z.boolean(),
});
export type OwnSignIn = z.output<typeof OwnSignIn>;

export const getProfile = defineRoute('GET /api/users/me/profile', {
  access: 'member',
  summary: "The caller's join date, inviter and latest sign-ins.",
  response: z.object({
    joinedAt: Moment,
    invitedBy: z.nullable(z.string()),
    /** Member who invited the person; null if no longer a member. */
    inviter: z.nullable(NamedPerson),
    signIns: z.array(OwnSignIn),
    workingTokens: z.number(),
  }),
});

export const signOutEverywhere = defineRoute('POST /api/users/me/sign-out-everywhere', {
  access: 'member',
  summary:
    'Ends every sign-in of the caller, including this one: their tokens are refused from now on, renewed ones included. Personal access tokens keep working unless `revokeTokens` is true.',
  body: z.strictObject({
    revokeTokens: z.boolean('Say whether the access tokens are revoked as well: true or false.'),
  }),
  response: z.object({ at: Moment }),
});

export const downloadMyData = defineRoute('GET /api/users/me/data', {
  access: 'member',
  summary: `Everything stored about the caller, as one JSON file. Up to ${dataDownloadsPerHour} times an hour.`,
  media: ['application/json'],
  response: streamed,
  errors: [profileErrors.tooManyDownloads],
});
