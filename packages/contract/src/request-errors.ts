/** Errors that any call can answer, whatever its area. */
import { defineErrors } from './route.ts';
import type { Text, TextValues } from './texts/text.ts';

export const requestErrors = defineErrors({
  invalid: {
    code: 'request.invalid',
    status: 400,
    message: 'The request is invalid. See the fields for what is allowed.',
  },
  malformed: {
    code: 'request.malformed',
    status: 400,
    message: 'The request could not be read. Send a JSON object.',
  },
  unsupportedType: {
    code: 'request.unsupported_type',
    status: 415,
    message: 'Send JSON with the header Content-Type: application/json.',
  },
  tooLarge: { code: 'request.too_large', status: 413, message: 'The request is too large.' },
  tooMany: {
    code: 'request.too_many',
    status: 429,
    message: 'Too many attempts from your network. Wait a minute and try again.',
  },
  notFound: { code: 'request.not_found', status: 404, message: 'There is nothing at this address.' },
  signInNeeded: { code: 'sign_in.needed', status: 401, message: 'Sign in to continue.' },
  providerUnreachable: {
    code: 'sign_in.provider_unreachable',
    status: 503,
    message: 'The sign-in service cannot be reached right now. Try again in a minute.',
  },
  foreignOrigin: {
    code: 'request.foreign_origin',
    status: 403,
    message: 'This request came from another site. Open this site directly and try again.',
  },
  notFresh: {
    code: 'sign_in.not_fresh',
    status: 403,
    message: 'Confirm that it is you, then try again.',
  },
  /** Confirming helps nobody whose tokens never say it. */
  signInTimeUnknown: {
    code: 'sign_in.time_unknown',
    status: 403,
    message:
      'The sign-in service does not say when you signed in, so you cannot add a way to sign in here. Tell an administrator.',
  },
  adminNeeded: {
    code: 'access.admin_needed',
    status: 403,
    message: 'Only an administrator can do this. Ask one for help.',
  },
  unavailable: {
    code: 'server.unavailable',
    status: 503,
    message: 'The server is unavailable right now. Nothing was changed. Try again in a minute.',
  },
  unexpected: {
    code: 'server.unexpected',
    status: 500,
    message:
      'Something went wrong on the server. Try again. If the problem persists, give support the reference.',
  },
});

/**
 * What every error answer looks like. `requestId` finds the log line; `fields` says what was wrong where, and `fieldTexts`
 * says it with codes, for those that people can make wrong.
 */
export type ErrorAnswer = {
  code: string;
  message: string;
  values?: TextValues;
  requestId: string;
  fields?: Record<string, string>;
  fieldTexts?: Record<string, Text>;
};
