/** Step-up authentication with a passkey or a code. Renews the cookie of the session. */
import * as z from 'zod/mini';
import { requestErrors } from '../request-errors.ts';
import { defineRoute, errorsOf } from '../route.ts';
import { verifyEmail, signInProblems, signInStartErrors } from '../sign-in.ts';
import { CodeRequest } from './codes.ts';
import { passkeyErrors } from './passkeys.ts';
import { AuthenticationResponse, RequestOptions } from './web-authn.ts';

const response = z.object({ confirmed: z.literal(true) });

export const startPasskeyConfirmation = defineRoute('POST /api/sign-in/confirm/passkey/options', {
  access: 'member',
  summary: "The authenticator options for confirming a session with one of the caller's passkeys.",
  body: z.strictObject({}),
  response: RequestOptions,
  errors: [signInStartErrors.wayUnknown, passkeyErrors.unknown],
});

export const confirmByPasskey = defineRoute('POST /api/sign-in/confirm/passkey', {
  access: 'member',
  summary: "Confirms the session of this browser with one of the caller's passkeys.",
  body: z.strictObject({ response: AuthenticationResponse }),
  response,
  errors: [
    signInStartErrors.wayUnknown,
    ...errorsOf(signInProblems, 'expired', 'tooOften'),
    ...errorsOf(passkeyErrors, 'refused', 'unknown'),
    requestErrors.tooMany,
  ],
});

export const startCodeConfirmation = defineRoute('POST /api/sign-in/confirm/code', {
  access: 'member',
  summary: 'E-mails the caller a code to confirm the session.',
  body: z.strictObject({}),
  response: CodeRequest,
  errors: [
    ...errorsOf(signInStartErrors, 'wayUnknown', 'codesAsked'),
    signInProblems.cannotConfirm,
    passkeyErrors.required,
    requestErrors.tooMany,
  ],
});

export const confirmByCode = defineRoute('POST /api/sign-in/confirm/code/enter', {
  access: 'member',
  summary: 'Confirms the session of this browser with the e-mailed code.',
  body: verifyEmail.body,
  response,
  errors: [
    ...errorsOf(signInStartErrors, 'wayUnknown', 'codeWrong', 'codeSpent', 'codeGuessed'),
    ...errorsOf(signInProblems, 'expired', 'tooOften'),
  ],
});
