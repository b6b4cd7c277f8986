/** The ways that a person signs in by: what they are, adding one, and taking one away. */
import * as z from 'zod/mini';
import { personErrors } from '../people.ts';
import { requestErrors } from '../request-errors.ts';
import { defineErrors, defineRoute } from '../route.ts';
import { pageLanguage, returnTo, signInProblems, signInStartErrors, wayId } from '../sign-in.ts';
import { Id, Moment } from '../values.ts';

export const identityErrors = defineErrors({
  notFound: {
    code: 'identity.not_found',
    status: 404,
    message: 'This way to sign in is gone already. Reload the page.',
  },
  lastWay: {
    code: 'identity.last_way',
    status: 409,
    message: 'This is the only way to sign in that works. Add another one first.',
  },
});

/** An account at a provider that signs a person in. */
export const Identity = z.object({
  id: Id,
  /** The way that it belongs to, and what people call it. */
  way: z.string(),
  wayName: z.string(),
  /** Whether the way is open: one that is taken out of the configuration signs nobody in. */
  isOpen: z.boolean(),
  /** The address of the account, as the provider says it; null where it says none. */
  email: z.nullable(z.string()),
  addedAt: Moment,
  lastSignInAt: z.nullable(Moment),
  /** The one that this call's session came by. */
  current: z.boolean(),
});
export type Identity = z.output<typeof Identity>;

const answer = z.object({ rows: z.array(Identity) });

export const listIdentities = defineRoute({
  method: 'GET',
  path: '/api/users/me/identities',
  access: 'member',
  summary: 'The accounts at providers that sign the caller in, in the order in which they were added.',
  answer,
});

export const listIdentitiesOf = defineRoute({
  method: 'GET',
  path: '/api/people/:personId/identities',
  access: 'admin',
  scope: 'people:read',
  summary: 'The accounts at providers that sign somebody in.',
  params: z.object({ personId: Id }),
  answer,
  errors: [personErrors.notFound],
});

export const addIdentity = defineRoute({
  method: 'POST',
  path: '/api/users/me/identities',
  access: 'member',
  fresh: true,
  addsWay: true,
  summary: 'Begins a sign-in that adds an account at a provider to the caller; tells where the browser goes.',
  body: z.strictObject({ way: wayId, returnTo, language: pageLanguage }),
  answer: z.object({ url: z.string() }),
  errors: [
    signInStartErrors.wayUnknown,
    signInProblems.providerDown,
    signInProblems.identitiesFull,
    requestErrors.tooMany,
  ],
});

export const removeIdentity = defineRoute({
  method: 'DELETE',
  path: '/api/users/me/identities/:identityId',
  access: 'member',
  fresh: true,
  summary:
    'Takes a way to sign in away from the caller, and ends its sessions. Never the last one that works.',
  params: z.object({ identityId: Id }),
  answer: z.object({ id: Id }),
  errors: [identityErrors.notFound, identityErrors.lastWay],
});
