/**
 * Passkeys in this browser: whether it can use them here, signing in with one, and in a sentence what came in between. Browsers
 * tell little on purpose, so each sentence names the other way. Making one is in new-passkey.ts. Of @simplewebauthn/browser.
 */
import { t } from '@lingui/core/macro';
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  WebAuthnAbortService,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import type { AuthenticationResponse, RequestOptions } from '@vestibule/contract/sign-in/web-authn';

/** A passkey was not made or not used; the message is for the person. */
export class PasskeyFailure extends Error {
  override readonly name = 'PasskeyFailure';
}

/** Why passkeys cannot be used here, in a sentence; null where they can. */
export function passkeyUnavailableReason(): string | null {
  const { hostname } = window.location;
  // Every relying party id is refused there, although the API exists.
  if (/^[\d.]+$|^\[/.test(hostname))
    return t`Passkeys do not work at ${hostname}. Open the site by its name to use one.`;
  if (!window.isSecureContext) return t`Passkeys need an encrypted address (https).`;
  return browserSupportsWebAuthn() ? null : t`This browser has no passkeys.`;
}

/** Asks for a passkey that the person has, on this device or another. Throws a PasskeyFailure. */
export function requestPasskey(options: RequestOptions): Promise<AuthenticationResponse> {
  return told(
    startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON }),
    t`No passkey was used. Try again, or request a code by e-mail.`,
  );
}

/**
 * Lets the browser offer passkeys in the field on this page that is meant for it. Null when another request took its place,
 * `stopConditionalUi` was called, or the browser cannot.
 */
export function startConditionalUi(options: RequestOptions): Promise<AuthenticationResponse | null> {
  return startAuthentication({
    optionsJSON: options as PublicKeyCredentialRequestOptionsJSON,
    useBrowserAutofill: true,
  }).then(plain, () => null);
}

export const supportsConditionalUi = browserSupportsWebAuthnAutofill;

/** Ends what is offered or asked for: a browser has one such request at a time. */
export function stopConditionalUi(): void {
  WebAuthnAbortService.cancelCeremony();
}

/** `fieldMessageOf` says what else the name of an error means; `otherwise` is for what browsers do not tell apart: cancelled, too late, none there, not verified. */
export async function told<T extends object>(
  ceremony: Promise<T>,
  otherwise: string,
  sentenceOf?: (error: string) => string | undefined,
) {
  try {
    return plain(await ceremony);
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    throw new PasskeyFailure(sentenceOf?.(name) ?? commonly(name) ?? otherwise, { cause: error });
  }
}

/** Without what browser extensions of WebAuthn say: none is asked for. */
function plain<T extends object>(response: T): T & { clientExtensionResults: Record<string, never> } {
  return { ...response, clientExtensionResults: {} };
}

function commonly(error: string): string | null {
  if (error === 'OperationError')
    return t`The browser is still asking for a passkey, perhaps in another tab. Close that and try again, or continue another way.`;
  return error === 'SecurityError' ? passkeyUnavailableReason() : null;
}
