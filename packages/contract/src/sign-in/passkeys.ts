import * as z from 'zod/mini';
import { personErrors } from '../people.ts';
import { requestErrors } from '../request-errors.ts';
import { defineErrors, defineRoute, errorsOf } from '../route.ts';
import { attempt, returnTo, signInProblems, signInStartErrors } from '../sign-in.ts';
import { Id, lineOfText, linkCode, Moment } from '../values.ts';
import { ownName } from './codes.ts';
import {
  AuthenticationResponse,
  CreationOptions,
  RegistrationResponse,
  RequestOptions,
} from './web-authn.ts';

export const passkeySeconds = 300;
export const passkeysMaximum = 20;

export const passkeyErrors = defineErrors('passkey', {
  400: { refused: 'This passkey could not be verified. Try again, or request a code by e-mail.' },
  403: {
    codeFirst: 'This invitation requires a code first. Have it sent to the invited address.',
    required: 'This site requires a passkey. A code is not enough.',
  },
  404: {
    unknown: 'This passkey is unknown here or was removed. Sign in another way.',
    notFound: 'This passkey does not exist or was removed.',
  },
  409: {
    alreadyThere: 'This passkey is already in use here. Use another device or another passkey.',
    tooMany: `You have reached the limit of ${passkeysMaximum} passkeys. Remove one you no longer use.`,
    lastWay: 'This is your last sign-in method. Add another one before you remove it.',
  },
  429: { tooOften: 'Too many changes to your passkeys in the last hour. Try again later.' },
});

export const askForPasskey = defineRoute('POST /api/sign-in/passkey/options', {
  access: 'public',
  sameOrigin: true,
  summary:
    'The authenticator options for a sign-in. Valid for five minutes, in this browser. Changes nothing.',
  body: z.strictObject({}),
  response: RequestOptions,
  errors: [signInStartErrors.wayUnknown],
});

export const signInWithPasskey = defineRoute('POST /api/sign-in/passkey', {
  access: 'public',
  sameOrigin: true,
  signInMethod: 'passkey',
  summary: 'Signs in with a passkey.',
  body: z.strictObject({ response: AuthenticationResponse, returnTo }),
  response: z.object({ returnTo: z.string() }),
  errors: [
    signInStartErrors.wayUnknown,
    ...errorsOf(signInProblems, 'expired', 'tooOften'),
    ...errorsOf(passkeyErrors, 'refused', 'unknown'),
    personErrors.disabled,
    requestErrors.tooMany,
  ],
});

export const startFirstPasskey = defineRoute('POST /api/sign-in/new-passkey/options', {
  access: 'public',
  sameOrigin: true,
  signInMethod: 'passkey',
  summary:
    'The authenticator options for a first passkey, for invitees and for people who entered a code and need a passkey.',
  body: z
    .strictObject({
      invitation: z.optional(linkCode),
      attempt: z.optional(attempt),
      name: z.optional(ownName),
      returnTo,
    })
    .check(
      z.refine(
        (body) => (body.attempt ?? body.invitation) !== undefined,
        'Provide an invitation, or a sign-in whose code was entered.',
      ),
    ),
  response: z.object({ attempt: z.string(), options: CreationOptions }),
  errors: [
    signInStartErrors.wayUnknown,
    signInProblems.expired,
    passkeyErrors.codeFirst,
    personErrors.invitationExpired,
    requestErrors.tooMany,
  ],
});

export const createFirstPasskey = defineRoute('POST /api/sign-in/new-passkey', {
  access: 'public',
  sameOrigin: true,
  signInMethod: 'passkey',
  summary: 'Saves a first passkey and signs in. An invitation is redeemed in the same transaction.',
  body: z.strictObject({ attempt, response: RegistrationResponse }),
  response: z.object({ returnTo: z.string() }),
  errors: [
    ...errorsOf(signInProblems, 'expired', 'tooOften'),
    ...errorsOf(passkeyErrors, 'refused', 'alreadyThere'),
    ...errorsOf(
      personErrors,
      'disabled',
      'notInvited',
      'joinRequested',
      'joinDeclined',
      'invitationExpired',
      'invitationRevoked',
    ),
  ],
});

const passkeyName = lineOfText(60).check(z.minLength(1, 'Enter a name.'));

export const Passkey = z.object({
  id: Id,
  name: z.string(),
  createdAt: Moment,
  lastUsedAt: z.nullable(Moment),
  isSynced: z.boolean(),
  /** False if the passkey was created at another address of this site. */
  works: z.boolean(),
});
export type Passkey = z.output<typeof Passkey>;

const OwnPasskey = z.extend(Passkey, {
  /** Credential id, used by `PublicKeyCredential.signal…`. */
  credentialId: z.string(),
});

export const listMyPasskeys = defineRoute('GET /api/users/me/passkeys', {
  access: 'member',
  summary: "The caller's passkeys, the newest first.",
  response: z.object({
    rows: z.array(OwnPasskey),
    /** Used by `PublicKeyCredential.signal…`. `userId` is null if the caller never had a passkey or code. */
    rpId: z.string(),
    userId: z.nullable(z.string()),
    codes: z.enum(['enough', 'only-for-a-passkey', 'no']),
  }),
});

export const startPasskey = defineRoute('POST /api/users/me/passkeys/options', {
  access: 'member',
  requiresRecentAuth: true,
  addsSignInMethod: true,
  summary: 'The authenticator options for another passkey of the caller.',
  body: z.strictObject({}),
  response: z.object({ attempt: z.string(), options: CreationOptions }),
  errors: [signInStartErrors.wayUnknown, passkeyErrors.tooMany, requestErrors.tooMany],
});

export const addPasskey = defineRoute('POST /api/users/me/passkeys', {
  access: 'member',
  requiresRecentAuth: true,
  addsSignInMethod: true,
  summary: 'Saves another passkey of the caller, and notifies them by e-mail.',
  body: z.strictObject({ attempt, response: RegistrationResponse }),
  response: OwnPasskey,
  errors: [
    signInProblems.expired,
    ...errorsOf(passkeyErrors, 'refused', 'alreadyThere', 'tooMany', 'tooOften'),
  ],
});

const passkeyParams = z.object({ passkeyId: Id });

export const renamePasskey = defineRoute('PATCH /api/users/me/passkeys/:passkeyId', {
  access: 'member',
  summary: "Renames one of the caller's passkeys.",
  params: passkeyParams,
  body: z.strictObject({ name: passkeyName }),
  response: OwnPasskey,
  errors: [passkeyErrors.notFound, passkeyErrors.tooOften],
});

export const removePasskey = defineRoute('DELETE /api/users/me/passkeys/:passkeyId', {
  access: 'member',
  summary:
    "Removes one of the caller's passkeys, unless it is their last sign-in method, and notifies them by e-mail.",
  params: passkeyParams,
  response: z.object({ id: Id }),
  errors: [passkeyErrors.notFound, passkeyErrors.lastWay],
});
