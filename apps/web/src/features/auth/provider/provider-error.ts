/** Errors of the provider and of its library, told apart by code and put into words. */
import { t } from '@lingui/core/macro';

type ProviderErrorKind = 'forgotten-password' | 'cancelled' | 'unreachable' | 'other';

/** `message` is for people, in our words or the provider's own; never in those of its library. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind: ProviderErrorKind;
  /** What the provider said itself, in one line; empty where it said nothing. */
  readonly said: string;
  /** What support finds the case by: the provider's correlation id, or the library's code. */
  readonly reference: string;

  constructor(
    kind: ProviderErrorKind,
    message: string,
    { said, reference, cause }: { said: string; reference: string; cause: unknown },
  ) {
    super(message, { cause });
    this.kind = kind;
    this.said = said;
    this.reference = reference;
  }
}

/** MSAL's codes for "nobody answered" and "the answer made no sense". */
const unreachableCodes = new Set([
  'endpoints_resolution_error',
  'openid_config_error',
  'network_error',
  'no_network_connectivity',
  'post_request_failed',
  'get_request_failed',
  'failed_to_parse_response',
  'timed_out',
]);

/** Its codes for an answer to a sign-in that this tab did not begin, or has forgotten. */
const foreignCodes = new Set([
  'state_mismatch',
  'no_state_in_hash',
  'state_not_found',
  'no_cached_authority_error',
]);

/** Its codes for "a person has to sign in again". `timed_out` is a hidden frame that was never answered. */
const interactionCodes = new Set([
  'interaction_required',
  'login_required',
  'consent_required',
  'no_tokens_found',
  'no_account_error',
  'invalid_grant',
  'refresh_token_expired',
  'monitor_window_timeout',
  'timed_out',
  'block_nested_popups',
  'block_iframe_reload',
]);

type LibraryError = {
  name?: string;
  errorCode?: string;
  errorMessage?: string;
  message?: string;
  correlationId?: string;
};

/** Whether only a sign-in by a person helps. Tests names and codes: constructors are minified away. */
export function isInteractionNeeded(error: unknown): boolean {
  const { name, errorCode = '', errorMessage = '' } = error as LibraryError;
  return (
    name === 'InteractionRequiredAuthError' ||
    interactionCodes.has(errorCode) ||
    errorMessage.includes('AADB2C90077')
  );
}

/** Puts anything that MSAL throws into a ProviderError. */
export function describeProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const { errorCode = '', correlationId = '' } = error as LibraryError;
  const said = saidByProvider(error as LibraryError);
  const told = (kind: ProviderErrorKind, message: string) =>
    new ProviderError(kind, message, {
      said,
      reference: said === '' ? errorCode : correlationId,
      cause: error,
    });
  if (said.startsWith('AADB2C90118'))
    return told(
      'forgotten-password',
      t`You asked for a new password, but the page for it did not open. Try again.`,
    );
  if (said.startsWith('AADB2C90091')) return told('cancelled', t`The sign-in was cancelled.`);
  if (said !== '') return told('other', said);
  if (unreachableCodes.has(errorCode) || error instanceof TypeError)
    return told(
      'unreachable',
      t`The sign-in service cannot be reached. Check your connection and try again in a minute.`,
    );
  if (foreignCodes.has(errorCode))
    return told(
      'other',
      t`This sign-in was started in another window or too long ago, so it cannot be finished here. Sign in again.`,
    );
  return told(
    'other',
    t`The sign-in did not work. Try again. If the problem persists, give support the reference.`,
  );
}

/**
 * The provider's own sentence, out of what the library makes of it. B2C's begins with its code and puts correlation id and
 * time on lines of their own; of a token answer the library makes "Error(s): … - Description: … - Correlation ID: …".
 * A provider that is not B2C is quoted when it answered an authorize request, where the library leaves the text alone.
 */
function saidByProvider({ name, errorMessage = '', message = '' }: LibraryError): string {
  const [ofB2c] = /AADB2C\d+\b.*?(?= - Correlation ID:|[\r\n]|$)/.exec(errorMessage || message) ?? [];
  if (ofB2c !== undefined) return ofB2c.trim();
  if (name !== 'ServerError' || /aka\.ms|^Error\(s\):/.test(errorMessage)) return '';
  return errorMessage.trim().split(/\r?\n/)[0]?.trim() ?? '';
}
