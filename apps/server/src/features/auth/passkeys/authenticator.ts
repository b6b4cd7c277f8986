/** WebAuthn with SimpleWebAuthn (docs/decisions/020-simplewebauthn.md). All verification failures have the same message. */
import { passkeyErrors, passkeySeconds } from '@vestibule/contract/sign-in/passkeys';
import {
  CreationOptions,
  RequestOptions,
  type AuthenticationResponse,
  type RegistrationResponse,
} from '@vestibule/contract/sign-in/web-authn';
import type { AuthenticatorTransport } from '@simplewebauthn/server';
import { fail } from '../../../platform/errors/failure.ts';
import type { FoundPasskey, NewPasskey } from './passkey-store.ts';
import { describeAgent } from '../../../platform/http/describe-agent.ts';

/** Loaded on first use: the library takes 8 MB. */
let library: Promise<typeof import('@simplewebauthn/server')> | undefined;

const webAuthn = () => (library ??= import('@simplewebauthn/server'));

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

    /** Does not use the library: its loading blocks the process, and every visitor of the login page calls this. */
    requestOptions: (
      challenge: string,
      allowed?: { credential_id: string; transports: string[] }[],
    ): RequestOptions =>
      RequestOptions.parse({
        rpId,
        challenge,
        timeout: passkeySeconds * 1000,
        userVerification: 'required',
        allowCredentials: allowed?.map((passkey) => ({
          ...toCredentialDescriptor(passkey),
          type: 'public-key',
        })),
      }),

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
            // Managers that sync a passkey count differently, so only the counter of a single device shows a copy. -1 is below every counter.
            counter: passkey.is_backup_eligible ? -1 : passkey.counter,
          },
        }),
      );
      const { userHandle = passkey.id === personId ? passkey.handle : undefined } = response.response;
      if (
        !verified ||
        response.id !== passkey.credential_id ||
        userHandle !== passkey.handle ||
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
}) => ({ id, transports: transports as AuthenticatorTransport[] });

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

const refuseOnError = <Verified>(verification: Promise<Verified>): Promise<Verified> =>
  verification.catch((cause: unknown) => {
    throw fail(passkeyErrors.refused, { cause });
  });

/** Models by AAGUID (unverified). Source: github.com/passkeydeveloper/passkey-authenticator-aaguids */
const authenticatorNames: Readonly<Record<string, string>> = {
  'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4': 'Google Password Manager',
  'fbfc3007-154e-4ecc-8c0b-6e020557d7bd': 'Apple Passwords',
  'dd4ec289-e01d-41c9-bb89-70fa845d4bf2': 'iCloud Keychain',
  '08987058-cadc-4b81-b6e1-30de50dcbe96': 'Windows Hello',
  '9ddd1817-af5a-4672-a2b9-3e3dd95000a9': 'Windows Hello',
  '6028b017-b1d4-4c02-b4b3-afcdafc96bb2': 'Windows Hello',
  'adce0002-35bc-c60a-648b-0b25f1f05503': 'Chrome on Mac',
  '771b48fd-d3d4-4f74-9232-fc157ab0507a': 'Edge on Mac',
  '53414d53-554e-4700-0000-000000000000': 'Samsung Pass',
  'bada5566-a7aa-401f-bd96-45619a55120d': '1Password',
  'd548826e-79b4-db40-a3d8-11116f7e8349': 'Bitwarden',
  '531126d6-e717-415c-9320-3d9aa6981239': 'Dashlane',
  '0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6': 'Keeper',
  'fdb141b2-5d84-443e-8a35-4698c205a502': 'KeePassXC',
  'b84e4048-15dc-4dd0-8640-f4f60813c8af': 'NordPass',
  '50726f74-6f6e-5061-7373-50726f746f6e': 'Proton Pass',
};

export function defaultPasskeyName(aaguid: string, userAgent = ''): string {
  const { browser, system } = describeAgent(userAgent);
  return authenticatorNames[aaguid] ?? ([browser, system].filter(Boolean).join(', ') || 'Passkey');
}
