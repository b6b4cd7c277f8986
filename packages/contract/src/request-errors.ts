import { defineErrors } from './route.ts';
import type { Message, MessageValues } from './texts/text.ts';

export const requestErrors = {
  ...defineErrors('request', {
    400: {
      invalid: 'The request is invalid. See the fields for what is allowed.',
      malformed: 'The request could not be read. Send a JSON object in UTF-8.',
    },
    403: { foreignOrigin: 'This request came from another site. Open this site directly and try again.' },
    404: { notFound: 'There is nothing at this address.' },
    405: { methodNotAllowed: 'This address accepts the methods {methods} only.' },
    413: { tooLarge: 'The request is too large. Send less at once.' },
    415: {
      unsupportedType: 'Send JSON with the header Content-Type: application/json.',
      compressed: 'Send the body without compression, and without the header Content-Encoding.',
    },
    429: { tooMany: 'Too many attempts from your network. Try again later, or from another network.' },
  }),
  ...defineErrors('sign_in', {
    403: { notFresh: 'Confirm that it is you, then try again.' },
    503: { providerUnreachable: 'The sign-in service cannot be reached right now. Try again in a minute.' },
  }),
  ...defineErrors('token', {
    403: {
      administratorScopeMissing:
        'This access token cannot give people the role administrator. Create one that has the scope administrators:write too.',
    },
  }),
  ...defineErrors('access', {
    403: { adminNeeded: 'Only an administrator can do this. Ask one for help.' },
  }),
  ...defineErrors('server', {
    500: {
      unexpected:
        'Something went wrong on the server. Try again. If the problem persists, give support the reference.',
    },
    503: { unavailable: 'The server is unavailable right now. Nothing was changed. Try again in a minute.' },
  }),
  signInNeeded: { code: 'sign_in.needed', status: 401, message: 'Sign in to continue.' },
  /** For tokens without `auth_time`. A new sign-in would not help, because the new token would have none either. */
  signInTimeUnknown: {
    code: 'sign_in.time_unknown',
    status: 403,
    message:
      'The sign-in service does not say when you signed in, so you cannot add a sign-in method here. Tell an administrator.',
  },
} as const;

/**
 * Body of error responses. `fields` contains the validation errors by field; `fieldTexts` contains those that can be translated, with their
 * codes.
 */
export type ErrorResponse = {
  code: string;
  message: string;
  values?: MessageValues;
  requestId: string;
  fields?: Record<string, string>;
  fieldTexts?: Record<string, Message>;
};
