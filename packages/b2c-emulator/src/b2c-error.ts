/** Error codes and messages of Azure AD B2C, and their format in responses. */
import { randomUUID } from 'node:crypto';

/** Messages as in Microsoft's "Error codes" page. */
const texts = {
  AADB2C90006: "The redirect URI '{0}' provided in the request is not registered for the client id '{1}'.",
  AADB2C90008: 'The request does not contain a client id parameter.',
  AADB2C90010: 'The request does not contain a scope parameter.',
  AADB2C90013: "The requested response type '{0}' provided in the request is not supported.",
  AADB2C90014: "The requested response mode '{0}' provided in the request is not supported.",
  AADB2C90018: "The client id '{0}' specified in the request is not registered in tenant '{1}'.",
  AADB2C90022: "Unable to return metadata for the policy '{0}' in tenant '{1}'.",
  AADB2C90037:
    'An error occurred while processing the request. Please contact administrator of the site you are trying to access.',
  AADB2C90043:
    "The prompt included in the request contains invalid values. Expected 'none', 'login', 'consent' or 'select_account'.",
  AADB2C90046:
    'We are having trouble loading your current state. You might want to try starting your session over from the beginning.',
  AADB2C90077: "User does not have an existing session and request prompt parameter has a value of '{0}'.",
  AADB2C90080:
    'The provided grant has expired. Please re-authenticate and try again. Current time: {0}, Grant issued time: {1}, Grant expiration time: {2}',
  AADB2C90083: 'The request is missing required parameter: {0}.',
  AADB2C90085: 'The service has encountered an internal error. Please reauthenticate and try again.',
  AADB2C90086: 'The supplied grant_type [{0}] is not supported.',
  AADB2C90088:
    'The provided grant has not been issued for this endpoint. Actual Value : {0} and Expected Value : {1}',
  AADB2C90091: 'The user has cancelled entering self-asserted information.',
  AADB2C90117: "The scope '{0}' provided in the request is not supported.",
  AADB2C90118: 'The user has forgotten their password.',
  AADB2C90120:
    "The max age parameter '{0}' specified in the request is invalid. Max age must be an integer between '{1}' and '{2}' inclusive.",
  AADB2C90122: "Input for '{0}' received in the request has failed HTTP request validation.",
  AADB2C90129: 'The provided grant has been revoked. Please reauthenticate and try again.',
  AADB2C90157: 'User has exceeded the maximum number for retries for a self-asserted step.',
  AADB2C90182: 'The supplied code_verifier does not match associated code_challenge',
  AADB2C90183: 'The supplied code_verifier is invalid',
  AADB2C90184: 'The supplied code_challenge_method is not supported. Supported values are S256',
  AADB2C90208: 'The provided id_token_hint parameter is expired. Please provide another token and try again.',
  AADB2C90209:
    "The provided id_token_hint parameter does not contain an accepted audience. Valid audience values: '{0}'. Please provide another token and try again.",
  AADB2C90210:
    'The provided id_token_hint parameter could not be validated. Please provide another token and try again.',
  AADB2C90232:
    "The provided id_token_hint parameter does not contain an accepted issuer. Valid issuers: '{0}'. Please provide another token and try again.",
  AADB2C90233:
    'The provided id_token_hint parameter failed signature validation. Please provide another token and try again.',
  AADB2C90272:
    'The id_token_hint parameter has not been specified in the request. Please provide token and try again.',
  AADB2C90279: "The provided client id '{0}' does not match the client id that issued the grant.",
  AADB2C99059: 'The supplied request must present a code_challenge',
} as const;

type B2cErrorCode = keyof typeof texts;

/** `error` values (RFC 6749 sections 4.1.2.1 and 5.2, OpenID Connect Core 3.1.2.6). */
type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'access_denied'
  | 'interaction_required'
  | 'server_error'
  | 'unsupported_response_type'
  | 'unsupported_grant_type';

/** An error with a B2C code. `message` is "AADB2C…: text"; `correlationId` is also in the log line. */
export class B2cError extends Error {
  override readonly name = 'B2cError';
  readonly code: B2cErrorCode;
  readonly oauthError: OAuthError;
  readonly correlationId: string = randomUUID();

  constructor(code: B2cErrorCode, oauthError: OAuthError, ...values: string[]) {
    super(`${code}: ${fill(texts[code], values)}`);
    this.code = code;
    this.oauthError = oauthError;
  }

  /** Returns `error_description`: message, correlation id and UTC time, each on its own line. */
  describe(nowMilliseconds: number): string {
    return `${this.message}\r\nCorrelation ID: ${this.correlationId}\r\nTimestamp: ${b2cTimestamp(nowMilliseconds)}\r\n`;
  }
}

/** Formats a time like B2C: `2026-01-31 23:59:59Z`. */
export function b2cTimestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Inserts values that come from the request, without control characters and truncated. */
function fill(text: string, values: string[]): string {
  return text.replace(/\{(\d)\}/g, (_, index: string) => {
    const printable = (values[Number(index)] ?? '').replace(/\p{C}/gu, ' ');
    return printable.length > 200 ? `${printable.slice(0, 200)}…` : printable;
  });
}
