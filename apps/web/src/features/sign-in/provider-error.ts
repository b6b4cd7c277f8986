/** Errors of the provider and of its library, told apart by code and put into words. */
import { t } from '@lingui/core/macro';

export type ProviderErrorKind = 'forgotten-password' | 'cancelled' | 'unreachable' | 'other';

/** `message` is for people; `detail` is what the provider said. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind: ProviderErrorKind;
  readonly detail: string;

  constructor(kind: ProviderErrorKind, message: string, detail: string, cause: unknown) {
    super(message, { cause });
    this.kind = kind;
    this.detail = detail;
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

type LibraryError = { name?: string; errorCode?: string; errorMessage?: string; message?: string };

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
  const { errorCode = '', errorMessage, message = '' } = error as LibraryError;
  const detail = (errorMessage || message).trim();
  if (detail.includes('AADB2C90118'))
    return new ProviderError(
      'forgotten-password',
      t`You asked for a new password. The page for that did not open; try again.`,
      detail,
      error,
    );
  if (detail.startsWith('AADB2C90091'))
    return new ProviderError('cancelled', t`The sign-in was cancelled.`, detail, error);
  if (unreachableCodes.has(errorCode) || error instanceof TypeError)
    return new ProviderError(
      'unreachable',
      t`The sign-in service cannot be reached. Check your connection and try again in a minute.`,
      detail,
      error,
    );
  if (
    errorCode === 'state_mismatch' ||
    errorCode === 'no_state_in_hash' ||
    errorCode === 'state_not_found' ||
    errorCode === 'no_cached_authority_error'
  )
    return new ProviderError(
      'other',
      t`This sign-in was started in another window or too long ago, so it cannot be finished here. Sign in again.`,
      detail,
      error,
    );
  return new ProviderError(
    'other',
    firstLine(detail) || t`The sign-in did not work. Try again.`,
    detail,
    error,
  );
}

/** B2C puts correlation id and time on lines of their own; they belong into the detail. */
export function firstLine(text: string): string {
  return text.split(/\r?\n/)[0]?.trim() ?? '';
}
