/** What devices are told of the passkeys that they keep for this site. Few listen, and nothing depends on it. */
import { sendSignal } from '@simplewebauthn/browser';

/** A passkey works no more, so that it is not offered again. Never fails. */
export async function forgetPasskey(rpId: string, credentialId: string): Promise<void> {
  await sendSignal({ signalName: 'unknownCredential', rpID: rpId, credentialID: credentialId }).catch(
    () => {},
  );
}

/** Somebody's passkeys are these and no others. Never fails. */
export async function keepPasskeys(rpId: string, userId: string, credentialIds: string[]): Promise<void> {
  await sendSignal({
    signalName: 'allAcceptedCredentials',
    rpID: rpId,
    userID: userId,
    allAcceptedCredentialIDs: credentialIds,
  }).catch(() => {});
}
