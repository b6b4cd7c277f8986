import * as z from 'zod/mini';
import { personErrors } from '../people.ts';
import { defineErrors, defineRoute } from '../route.ts';
import { Passkey } from '../sign-in/passkeys.ts';
import { Id, Moment } from '../values.ts';

/** Delay in minutes before a reset takes effect. The reset can be undone during this time. */
export const resetUndoMinutes = 5;

export const resetErrors = defineErrors('sign_in_reset', {
  409: {
    nothing:
      'This person has no passkeys and does not sign in with e-mailed codes. There is nothing to reset.',
    over: 'No reset is pending: it has already taken effect or was undone.',
  },
});

const params = z.object({ personId: Id });

/** `by` is the address of the administrator; `byName` is null if the administrator is no longer a member. */
const PendingReset = z.object({ takesEffectAt: Moment, by: z.string(), byName: z.nullable(z.string()) });

export const listPasskeysOf = defineRoute('GET /api/people/:personId/passkeys', {
  access: 'admin',
  scope: 'people:read',
  summary: "A person's passkeys, and whether a reset of their sign-in is pending.",
  params,
  response: z.object({
    rows: z.array(Passkey),
    has: z.boolean(),
    reset: z.nullable(PendingReset),
    /** Whether codes are refused or not mailed, because too many were wrong or requested. */
    codesBlocked: z.boolean(),
  }),
  errors: [personErrors.notFound],
});

export const resetSignIn = defineRoute('POST /api/people/:personId/reset-sign-in', {
  access: 'admin',
  scope: 'people:write',
  summary: `In ${resetUndoMinutes} minutes, unless undone: removes a person's passkeys, signs them out everywhere, and e-mails them a link to create a new one.`,
  params,
  response: PendingReset,
  errors: [personErrors.notFound, resetErrors.nothing],
});

export const allowCodes = defineRoute('POST /api/people/:personId/allow-codes', {
  access: 'admin',
  scope: 'people:write',
  summary: 'Lifts the limits of wrong and requested codes of a person. Passkeys and sessions remain.',
  params,
  response: z.object({ id: Id }),
  errors: [personErrors.notFound],
});

export const undoResetSignIn = defineRoute('POST /api/people/:personId/reset-sign-in/undo', {
  access: 'admin',
  scope: 'people:write',
  summary: "Undoes a reset of a person's sign-in that has not taken effect yet.",
  params,
  response: z.object({ id: Id }),
  errors: [personErrors.notFound, resetErrors.over],
});
