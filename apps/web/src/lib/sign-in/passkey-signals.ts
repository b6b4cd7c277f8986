/** WebAuthn signals that update the passkeys stored on the user's devices. Few browsers support them. */
import { sendSignal } from '@simplewebauthn/browser';

/** Reports a passkey that no longer exists. Never fails. */
export async function signalUnknownPasskey(rpId: string, credentialId: string): Promise<void> {
  await sendSignal({ signalName: 'unknownCredential', rpID: rpId, credentialID: credentialId }).catch(
    () => {},
  );
}

/** Reports the complete list of the user's passkeys. Never fails. */
export async function signalAcceptedPasskeys(
  rpId: string,
  userId: string,
  credentialIds: string[],
): Promise<void> {
  await sendSignal({
    signalName: 'allAcceptedCredentials',
    rpID: rpId,
    userID: userId,
    allAcceptedCredentialIDs: credentialIds,
  }).catch(() => {});
}
