import type { RouteDefinition } from '@vestibule/contract/route';
import { signInStartErrors } from '@vestibule/contract/sign-in';
import { requestCode } from '@vestibule/contract/sign-in/codes';
import {
  confirmByCode,
  confirmByPasskey,
  startCodeConfirmation,
  startPasskeyConfirmation,
} from '@vestibule/contract/sign-in/confirm';
import {
  askForPasskey,
  signInWithPasskey,
  startFirstPasskey,
  startPasskey,
} from '@vestibule/contract/sign-in/passkeys';
import { fail } from '../../../platform/errors/failure.ts';
import { every } from '../../../platform/timers.ts';
import { createAddressCodes } from '../email-codes/code-store.ts';
import type { EmailCodes } from '../email-codes/email-codes.ts';
import { createAuthenticator } from './authenticator.ts';
import { createChallenges } from './challenges.ts';
import { confirmRoutes, createVerifyPasskey, passkeySignInRoutes } from './passkey-sign-in.ts';
import { firstPasskeyRoutes } from './first-passkey.ts';
import { myPasskeyRoutes } from './my-passkeys.ts';
import { passkeyMails } from './passkey-changes.ts';
import { resetRoutes, applyDueResets } from './reset.ts';

const resetIntervalMs = 15_000;

type Deps = Parameters<typeof createAddressCodes>[0] &
  Parameters<typeof createChallenges>[0] & { codes: () => EmailCodes };

const refusedIfDisabled = new Set<RouteDefinition>([
  requestCode,
  askForPasskey,
  signInWithPasskey,
  startFirstPasskey,
  startPasskey,
  startPasskeyConfirmation,
  confirmByPasskey,
  startCodeConfirmation,
  confirmByCode,
]);

/** If passkeys are disabled (`isOffered` is false), users can still list and remove theirs. */
export function passkeys(deps: Deps & { isOffered: boolean }) {
  const addressCodes = createAddressCodes(deps);
  const authenticator = createAuthenticator(deps);
  const challenges = createChallenges(deps);
  const verifyPasskey = createVerifyPasskey({ ...deps, authenticator, challenges });
  const context = { ...deps, addressCodes, authenticator, challenges, verifyPasskey };
  const routes = [
    ...addressCodes.routes(),
    ...passkeySignInRoutes(context),
    ...firstPasskeyRoutes(context),
    ...confirmRoutes(context),
    ...myPasskeyRoutes(context),
    ...resetRoutes(context),
  ];
  const rejectDisabled = () => Promise.reject(fail(signInStartErrors.wayUnknown));
  return {
    codeHandler: addressCodes.handler,
    routes: deps.isOffered
      ? routes
      : routes.map(({ route, handle }) => ({
          route,
          handle: refusedIfDisabled.has(route) ? rejectDisabled : handle,
        })),
    mails: passkeyMails(deps),
    timers: [every(resetIntervalMs, 'resetting sign-ins', () => applyDueResets(deps))],
  };
}
