/** WebAuthn with SimpleWebAuthn (docs/decisions/020-simplewebauthn.md). All verification failures have the same message. */
import { passkeyErrors, passkeySeconds } from '@vestibule/contract/sign-in/passkeys';
import {
  CreationOptions,
  RequestOptions,
  type AuthenticationResponse,
  type RegistrationResponse,
} from '@vestibule/contract/sign-in/web-authn';
import type { AuthenticatorTransport } from '@simplewebauthn/server';
import { fail } from '../../../../platform/errors/failure.ts';
import type { FoundPasskey, NewPasskey } from '../passkey-store.ts';

/** Loaded on first use: the library takes 8 MB. */
let library: Promise<typeof import('@simplewebauthn/server')> | undefined;

async function loadLibrary() {
  const { useSynchronousWebCrypto } = await import('./web-crypto.ts');
  useSynchronousWebCrypto();
  return import('@simplewebauthn/server');
}

const webAuthn = () => (library ??= loadLibrary());

/** EdDSA, ES256 and RS256 (IANA, COSE algorithms). */
const algorithms = [-8, -7, -257];

export type Authenticator = ReturnType<typeof createAuthenticator>;

export function createAuthenticator({ rpId, publicUrl }: { rpId: string; publicUrl: string }) {
  const expected = { expectedOrigin: publicUrl, expectedRPID: rpId, requireUserVerification: true };

  return {
    rpId,

    /** `existing` are the user's existing passkeys. Pass them only for authenticated users. */
    async creationOptions(user: {
      productName: string;
      email: string;
      name: string;
      handle: string;
      challenge: string;
      existing: { credential_id: string; transports: string[] }[];
    }): Promise<CreationOptions> {
      const { generateRegistrationOptions } = await webAuthn();
      const options = await generateRegistrationOptions({
        rpName: user.productName,
        rpID: rpId,
        userName: user.email,
        userDisplayName: user.name || user.email,
        userID: bytesOf(user.handle),
        challenge: bytesOf(user.challenge),
        timeout: passkeySeconds * 1000,
        attestationType: 'none',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: algorithms,
        excludeCredentials: user.existing.map(toCredentialDescriptor),
      });
      return CreationOptions.parse(options);
    },

    async requestOptions(
      challenge: string,
      allowed?: { credential_id: string; transports: string[] }[],
    ): Promise<RequestOptions> {
      const { generateAuthenticationOptions } = await webAuthn();
      const options = await generateAuthenticationOptions({
        rpID: rpId,
        challenge: bytesOf(challenge),
        timeout: passkeySeconds * 1000,
        userVerification: 'required',
        ...(allowed && { allowCredentials: allowed.map(toCredentialDescriptor) }),
      });
      return RequestOptions.parse(options);
    },

    async register(
      response: RegistrationResponse,
      challenge: string,
      created: { id: string; name: (aaguid: string) => string },
    ): Promise<NewPasskey> {
      const { verifyRegistrationResponse } = await webAuthn();
      const { registrationInfo } = await refuseOnError(
        verifyRegistrationResponse({
          ...expected,
          response: response as Parameters<typeof verifyRegistrationResponse>[0]['response'],
          expectedChallenge: challenge,
          supportedAlgorithmIDs: algorithms,
        }),
      );
      const credential = registrationInfo?.credential;
      if (!credential || credential.id !== response.id || isFramed(response))
        throw fail(passkeyErrors.refused);
      return {
        id: created.id,
        credentialId: credential.id,
        publicKey: Buffer.from(credential.publicKey),
        counter: credential.counter,
        rpId,
        transports: response.response.transports ?? [],
        aaguid: registrationInfo.aaguid,
        name: created.name(registrationInfo.aaguid),
        isBackupEligible: registrationInfo.credentialDeviceType === 'multiDevice',
        isBackedUp: registrationInfo.credentialBackedUp,
      };
    },

    /** The user handle may be missing only if passkeys of `personId` were requested (WebAuthn Level 3, section 7.2, step 6). */
    async authenticate(
      response: AuthenticationResponse,
      challenge: string,
      passkey: FoundPasskey,
      personId?: string,
    ): Promise<{ counter: number; isBackedUp: boolean }> {
      const { verifyAuthenticationResponse } = await webAuthn();
      const { verified, authenticationInfo } = await refuseOnError(
        verifyAuthenticationResponse({
          ...expected,
          response: response as Parameters<typeof verifyAuthenticationResponse>[0]['response'],
          expectedChallenge: challenge,
          credential: {
            id: passkey.credential_id,
            publicKey: new Uint8Array(passkey.public_key),
            counter: passkey.counter,
          },
        }),
      );
      const { userHandle = passkey.id === personId ? passkey.handle : undefined } = response.response;
      const isBackupEligible = authenticationInfo.credentialDeviceType === 'multiDevice';
      if (
        !verified ||
        response.id !== passkey.credential_id ||
        userHandle !== passkey.handle ||
        isBackupEligible !== passkey.is_backup_eligible ||
        isFramed(response)
      )
        throw fail(passkeyErrors.refused);
      return { counter: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp };
    },
  };
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));

const toCredentialDescriptor = ({
  credential_id: id,
  transports,
}: {
  credential_id: string;
  transports: string[];
}) => ({
  id,
  transports: transports as AuthenticatorTransport[],
});

/** Returns the client data of a response, unverified; empty if it cannot be parsed. */
export function readClientData({ response }: { response: { clientDataJSON: string } }): {
  challenge?: unknown;
  crossOrigin?: unknown;
} {
  try {
    const read: unknown = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString('utf8'));
    return typeof read === 'object' && read !== null ? read : {};
  } catch {
    return {};
  }
}

const isFramed = (response: Parameters<typeof readClientData>[0]) =>
  readClientData(response).crossOrigin === true;

function refuseOnError<Verified>(verification: Promise<Verified>): Promise<Verified> {
  return verification.catch((cause: unknown) => {
    throw fail(passkeyErrors.refused, { cause });
  });
}
