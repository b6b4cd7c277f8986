import { t } from '@lingui/core/macro';

type ProviderErrorKind = 'forgotten-password' | 'cancelled' | 'unreachable' | 'other';

/** `message` is for users, in this site's or the provider's words, never MSAL's. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind: ProviderErrorKind;
  /** The provider's own text, on one line; may be empty. */
  readonly providerText: string;
  /** Reference for support: the provider's correlation id or MSAL's code. */
  readonly reference: string;

  constructor(
    kind: ProviderErrorKind,
    message: string,
    { providerText, reference, cause }: { providerText: string; reference: string; cause: unknown },
  ) {
    super(message, { cause });
    this.kind = kind;
    this.providerText = providerText;
    this.reference = reference;
  }
}

/** MSAL codes for missing or invalid responses. */
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

/** MSAL codes for a response to a sign-in that this tab did not start. */
const foreignCodes = new Set([
  'state_mismatch',
  'no_state_in_hash',
  'state_not_found',
  'no_cached_authority_error',
]);

/** MSAL codes that require a new sign-in. `timed_out` means that a hidden frame received no response. */
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

/** Tests names and codes instead of classes, whose names are minified. */
export function isInteractionNeeded(error: unknown): boolean {
  const { name, errorCode = '', errorMessage = '' } = error as LibraryError;
  return (
    name === 'InteractionRequiredAuthError' ||
    interactionCodes.has(errorCode) ||
    errorMessage.includes('AADB2C90077')
  );
}

export function describeProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const { errorCode = '', correlationId = '' } = error as LibraryError;
  const providerText = extractProviderText(error as LibraryError);
  const create = (kind: ProviderErrorKind, message: string) =>
    new ProviderError(kind, message, {
      providerText,
      reference: providerText === '' ? errorCode : correlationId,
      cause: error,
    });
  if (providerText.startsWith('AADB2C90118'))
    return create(
      'forgotten-password',
      t`You asked for a new password, but the page for it did not open. Try again.`,
    );
  if (providerText.startsWith('AADB2C90091')) return create('cancelled', t`The sign-in was cancelled.`);
  if (providerText !== '') return create('other', providerText);
  if (unreachableCodes.has(errorCode) || error instanceof TypeError)
    return create(
      'unreachable',
      t`The sign-in service cannot be reached. Check your connection and try again in a minute.`,
    );
  if (foreignCodes.has(errorCode))
    return create(
      'other',
      t`This sign-in was started in another window or too long ago, so it cannot be finished here. Sign in again.`,
    );
  return create(
    'other',
    t`The sign-in did not work. Try again. If the problem persists, give support the reference.`,
  );
}

/**
 * Extracts the provider's sentence. B2C sentences start with a code and end before the correlation id; MSAL wraps those of token responses
 * in "Error(s): … - Description: … - Correlation ID: …". Other providers' texts are used only for authorize responses, which MSAL leaves
 * unchanged.
 */
function extractProviderText({ name, errorMessage = '', message = '' }: LibraryError): string {
  const [b2cText] = /AADB2C\d+\b.*?(?= - Correlation ID:|[\r\n]|$)/.exec(errorMessage || message) ?? [];
  if (b2cText !== undefined) return b2cText.trim();
  if (name !== 'ServerError' || /aka\.ms|^Error\(s\):/.test(errorMessage)) return '';
  return errorMessage.trim().split(/\r?\n/)[0]?.trim() ?? '';
}
