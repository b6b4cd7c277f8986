/** What a failure at a provider means for the person who signs in, as openid-client and the provider tell it. */
import { signInProblems } from '@vestibule/contract/sign-in';
import * as openid from 'openid-client';
import { fail, Failure } from '../../../../platform/errors/failure.ts';

/** OAuth's own words about a request that this site made wrongly: settings differ (RFC 6749, sections 4.1.2.1 and 5.2). */
const setupCodes = new Set(
  'invalid_request unauthorized_client unsupported_response_type invalid_scope invalid_client unsupported_grant_type'.split(
    ' ',
  ),
);
const downCodes = new Set(['server_error', 'temporarily_unavailable']);

/** What to tell of a failure at the provider that people call `provider`; throws what is none. */
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
      // A code of OAuth's, such as `login_required`; nothing else that a provider writes is passed on.
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
  if (error instanceof openid.AuthorizationResponseError) return kindOfCode(error.error);
  if (error instanceof openid.ResponseBodyError)
    return error.status >= 500
      ? 'providerDown'
      : error.status === 401
        ? 'providerSetup'
        : kindOfCode(error.error);
  if (error instanceof openid.WWWAuthenticateChallengeError) return 'providerSetup';
  if (error instanceof openid.ClientError) return kindOfClientError(error);
  // What fetch throws where nobody answers.
  if (error instanceof TypeError && (error.cause !== undefined || error.message === 'fetch failed'))
    return 'providerDown';
  return null;
}

/** Whether the provider itself said that a refresh token, or a person, is not welcome any more. */
export function isRefused(error: unknown): boolean {
  return error instanceof openid.ResponseBodyError && error.error === 'invalid_grant';
}

/** Fields of a failure for the log. Never the cause itself, which may contain tokens. */
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

/** Errors of openid-client whose messages are fixed texts. */
const fixedMessages = new Set(['OperationProcessingError', 'UnsupportedOperationError']);

function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof openid.ClientError)) return undefined;
  const { cause } = error;
  return cause instanceof Error && fixedMessages.has(cause.name) ? cause.message : error.message;
}

/** The error that a provider sent the browser back with; null if it sent none (RFC 6749, section 4.1.2.1). */
export const authorizationErrorIn = (query: URLSearchParams): openid.AuthorizationResponseError | null =>
  query.get('error')
    ? new openid.AuthorizationResponseError('error answer of the provider', { cause: query })
    : null;

function kindOfCode(code: string): Kind {
  if (code === 'access_denied' || code === 'consent_required') return 'cancelled';
  // The code was too old, or used: nothing that doing it again would not mend.
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
