/** Creates passkeys. Separate from passkeys.ts, since a sign-in rarely needs it. */
import { t } from '@lingui/core/macro';
import { startRegistration, type PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import type { CreationOptions, RegistrationResponse } from '@vestibule/contract/sign-in/web-authn';
import { runCeremony } from './passkeys.ts';

/** Throws a PasskeyFailure. */
export const createPasskey = (options: CreationOptions): Promise<RegistrationResponse> =>
  runCeremony(
    startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON }),
    t`No passkey was created. Try again, or continue another way.`,
    registrationMessage,
  );

function registrationMessage(error: string): string | undefined {
  switch (error) {
    case 'InvalidStateError':
      return t`This device already has a passkey of yours for this site. Sign in with it, or use another device.`;
    case 'ConstraintError':
    case 'NotReadableError':
    case 'NotSupportedError':
    case 'UnknownError':
      return t`This device could not save a passkey. Use another device, or continue another way.`;
    default:
      return undefined;
  }
}
