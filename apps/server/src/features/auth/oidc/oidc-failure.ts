/** Maps errors of openid-client and of providers to problems for the user and to log fields. */
import { signInProblems } from '@vestibule/contract/sign-in';
import * as openid from 'openid-client';
import { fail, Failure } from '../../../platform/errors/failure.ts';

/** OAuth error codes of a misconfigured client (RFC 6749, sections 4.1.2.1 and 5.2). */
const setupCodes = new Set(
  'invalid_request unauthorized_client unsupported_response_type invalid_scope invalid_client unsupported_grant_type'.split(
    ' ',
  ),
);
const downCodes = new Set(['server_error', 'temporarily_unavailable']);

/** Returns the problem for the user. Rethrows errors that are unrelated to the provider. */
export function explainFailure(error: unknown, provider: string): Failure {
  const values = { provider };
  const cause = error;
  const kind = kindOf(error);
  switch (kind) {
    case null:
      throw error;
    case 'expired':
      return fail(signInProblems.expired, { cause });
    case 'refusedByProvider':
      // Only the error code, such as `login_required`, is shown; other text of a provider is not.
      return fail(signInProblems.refusedByProvider, { values: { ...values, reason: codeOf(error) }, cause });
    default:
      return fail(signInProblems[kind], { values, cause });
  }
}

type Kind =
  | 'expired'
  | 'cancelled'
  | 'refusedByProvider'
  | 'providerDown'
  | 'providerAnswer'
  | 'providerSetup'
  | 'clocks';

function kindOf(error: unknown): Kind | null {
  if (error instanceof openid.AuthorizationResponseError)
    return isExpiredAtKeycloak(error) ? 'expired' : kindOfCode(error.error);
  if (error instanceof openid.ResponseBodyError)
    return error.status >= 500
      ? 'providerDown'
      : error.status === 401
        ? 'providerSetup'
        : kindOfCode(error.error);
  if (error instanceof openid.WWWAuthenticateChallengeError) return 'providerSetup';
  if (error instanceof openid.ClientError) return kindOfClientError(error);
  // fetch throws a TypeError if there is no response.
  if (error instanceof TypeError && (error.cause !== undefined || error.message === 'fetch failed'))
    return 'providerDown';
  return null;
}

/** Returns whether the provider rejected a refresh token, because of the token or of the person. */
export const isInvalidGrant = (error: unknown): boolean =>
  error instanceof openid.ResponseBodyError && error.error === 'invalid_grant';

/** Returns fields for the log, never the cause, which may contain tokens. */
export function loggedFailure(error: unknown): Record<string, unknown> {
  if (error instanceof Failure)
    return { problem: error.text.code, ...(error.cause !== undefined && loggedFailure(error.cause)) };
  const { name, code, status, cause } = error as Record<string, unknown>;
  const { code: network, status: statusOfCause, cause: details } = (cause ?? {}) as Record<string, unknown>;
  const body = (details as { body?: unknown } | undefined)?.body;
  return {
    name,
    code,
    oauthCode: codeOf(body ?? error),
    status: status ?? statusOfCause,
    network,
    reason: reasonOf(error),
  };
}

const fixedMessages = new Set(['OperationProcessingError', 'UnsupportedOperationError']);

function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof openid.ClientError)) return undefined;
  const { cause } = error;
  return cause instanceof Error && fixedMessages.has(cause.name) ? cause.message : error.message;
}

/** Returns the error in a callback's query; null if there is none (RFC 6749, section 4.1.2.1). */
export const authorizationErrorIn = (query: URLSearchParams): openid.AuthorizationResponseError | null =>
  query.get('error')
    ? new openid.AuthorizationResponseError('error answer of the provider', { cause: query })
    : null;

/** Keycloak, "OpenID Connect errors": its sign-in page was open for too long, or the user has signed in there in another tab. */
const isExpiredAtKeycloak = ({ error, error_description: text }: openid.AuthorizationResponseError) =>
  error === 'temporarily_unavailable' && text === 'authentication_expired';

function kindOfCode(code: string): Kind {
  // Apple and LinkedIn have their own codes, such as `user_cancelled_authorize`.
  if (code === 'access_denied' || code === 'consent_required' || code.startsWith('user_cancelled'))
    return 'cancelled';
  // Expired or used code; a new sign-in helps.
  if (code === 'invalid_grant') return 'expired';
  if (setupCodes.has(code)) return 'providerSetup';
  return downCodes.has(code) ? 'providerDown' : 'refusedByProvider';
}

function kindOfClientError({ code, cause }: openid.ClientError): Kind {
  const status = (cause as { status?: number } | undefined)?.status ?? 0;
  switch (code) {
    case 'OAUTH_TIMEOUT':
    case 'OAUTH_ABORT':
      return 'providerDown';
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return 'clocks';
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM':
      return status >= 500 || status === 429 ? 'providerDown' : 'providerAnswer';
    default:
      return 'providerAnswer';
  }
}

function codeOf(error: unknown): string {
  const { error: code } = error as { error?: unknown };
  return typeof code === 'string' && /^[a-z_]{1,60}$/.test(code) ? code : 'unknown';
}
