/** Passkeys in this browser: availability and sign-in. WebAuthn errors reveal little, so every message names an alternative. */
import { t } from '@lingui/core/macro';
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  WebAuthnAbortService,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import type { AuthenticationResponse, RequestOptions } from '@vestibule/contract/sign-in/web-authn';

/** A failed ceremony; the message is for users. */
export class PasskeyFailure extends Error {
  override readonly name = 'PasskeyFailure';
}

/** Returns why passkeys are unavailable here, or null. */
export function passkeyUnavailableReason(): string | null {
  const { hostname } = window.location;
  // IP addresses are not valid relying party ids, although the API exists.
  if (/^[\d.]+$|^\[/.test(hostname))
    return t`Passkeys do not work at ${hostname}. Open the site by its name to use one.`;
  if (!window.isSecureContext) return t`Passkeys need an encrypted address (https).`;
  return browserSupportsWebAuthn() ? null : t`This browser has no passkeys.`;
}

/** Requests a passkey from this or another device. Throws a PasskeyFailure. */
export const requestPasskey = (options: RequestOptions): Promise<AuthenticationResponse> =>
  runCeremony(
    startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON }),
    t`No passkey was used. Try again, or request a code by e-mail.`,
  );

/** Starts conditional UI: the browser offers passkeys in the marked field. Null if this page aborted or replaced it. */
export const startConditionalUi = (
  options: RequestOptions,
): Promise<AuthenticationResponse | 'cancelled' | null> =>
  startAuthentication({
    optionsJSON: options as PublicKeyCredentialRequestOptionsJSON,
    useBrowserAutofill: true,
  }).then(withoutExtensionResults, ({ name }: Error) => (name === 'AbortError' ? null : 'cancelled'));

export const supportsConditionalUi = browserSupportsWebAuthnAutofill;

/** Aborts the pending request; a browser allows one at a time. */
export function stopConditionalUi(): void {
  WebAuthnAbortService.cancelCeremony();
}

/** Maps errors to a PasskeyFailure. `fallback` covers indistinguishable causes: cancelled, timed out, none available. */
export async function runCeremony<T extends object>(
  ceremony: Promise<T>,
  fallback: string,
  messageFor?: (error: string) => string | undefined,
) {
  try {
    return withoutExtensionResults(await ceremony);
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    throw new PasskeyFailure(messageFor?.(name) ?? commonMessage(name) ?? fallback, { cause: error });
  }
}

/** Drops extension results: none are requested. */
const withoutExtensionResults = <T extends object>(
  response: T,
): T & { clientExtensionResults: Record<string, never> } => ({ ...response, clientExtensionResults: {} });

function commonMessage(error: string): string | null {
  if (error === 'OperationError')
    return t`The browser is still asking for a passkey, perhaps in another tab. Close that and try again, or continue another way.`;
  return error === 'SecurityError' ? passkeyUnavailableReason() : null;
}
