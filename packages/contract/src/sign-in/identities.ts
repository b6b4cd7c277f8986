import * as z from 'zod/mini';
import { personErrors } from '../people.ts';
import { requestErrors } from '../request-errors.ts';
import { defineErrors, defineRoute, errorsOf } from '../route.ts';
import { pageLanguage, returnTo, signInProblems, signInStartErrors, signInMethodId } from '../sign-in.ts';
import { Id, Moment } from '../values.ts';

export const identityErrors = defineErrors('identity', {
  404: { notFound: 'This sign-in method was already removed. Reload the page.' },
  409: { lastWay: 'This is your only working sign-in method. Add another one first.' },
  429: { tooOften: 'Too many changes to your sign-in methods within an hour. Try again later.' },
});

export const Identity = z.object({
  id: Id,
  way: z.string(),
  wayName: z.string(),
  /** Whether the sign-in method is configured. Otherwise the account cannot be used. */
  isOpen: z.boolean(),
  email: z.nullable(z.string()),
  addedAt: Moment,
  lastSignInAt: z.nullable(Moment),
  current: z.boolean(),
});
export type Identity = z.output<typeof Identity>;

const response = z.object({ rows: z.array(Identity) });

export const listIdentities = defineRoute('GET /api/users/me/identities', {
  access: 'member',
  summary: 'The provider accounts that the caller signs in with, in the order they were added.',
  response,
});

export const listIdentitiesOf = defineRoute('GET /api/people/:personId/identities', {
  access: 'admin',
  scope: 'people:read',
  summary: 'The provider accounts that a person signs in with.',
  params: z.object({ personId: Id }),
  response,
  errors: [personErrors.notFound],
});

export const addIdentity = defineRoute('POST /api/users/me/identities', {
  access: 'member',
  requiresRecentAuth: true,
  addsSignInMethod: true,
  summary: 'Starts a sign-in that adds a provider account to the caller, and returns the address to open.',
  body: z.strictObject({ way: signInMethodId, returnTo, language: pageLanguage }),
  response: z.object({ url: z.string() }),
  errors: [
    signInStartErrors.wayUnknown,
    ...errorsOf(signInProblems, 'providerDown', 'identitiesFull'),
    requestErrors.tooMany,
  ],
});

export const removeIdentity = defineRoute('DELETE /api/users/me/identities/:identityId', {
  access: 'member',
  requiresRecentAuth: true,
  summary:
    'Removes a provider account from the caller, and ends its sessions. The last working one cannot be removed.',
  params: z.object({ identityId: Id }),
  response: z.object({ id: Id }),
  errors: [identityErrors.notFound, identityErrors.lastWay],
});
