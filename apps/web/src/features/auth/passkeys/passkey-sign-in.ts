/** Sign-in by a passkey on the login screen: in the address field (conditional UI) and by a button. */
import { askForPasskey, signInWithPasskey } from '@vestibule/contract/sign-in/passkeys';
import type { AuthenticationResponse, RequestOptions } from '@vestibule/contract/sign-in/web-authn';
import { CallFailure } from '../../../language/call-failure.ts';
import { call } from '../../../lib/call.ts';
import {
  requestPasskey,
  startConditionalUi,
  stopConditionalUi,
  supportsConditionalUi,
} from '../../../lib/sign-in/passkeys.ts';
import { runWithErrors, type FlowContext } from './flow.ts';

/** The server's challenge expires after five minutes. */
const renewalMilliseconds = 4 * 60_000;

export function createPasskeySignIn(flow: FlowContext, addressField: HTMLElement) {
  let isRequesting = false;
  let renewal: ReturnType<typeof setTimeout>;
  // Some browsers refuse every request at once.
  let restartsLeft = 3;

  /** Returns whether the address field is displayed and the button is not waiting for a passkey. */
  const isIdle = () => !isRequesting && addressField.isConnected;

  const requestOptions = () => call(askForPasskey, { body: {} });

  async function signIn(options: RequestOptions, response: AuthenticationResponse): Promise<void> {
    try {
      const body = { response, returnTo: flow.returnTo };
      await flow.onSignedIn((await call(signInWithPasskey, { body })).returnTo);
    } catch (error) {
      if (error instanceof CallFailure && error.code === 'passkey.unknown')
        void import('../../../lib/sign-in/passkey-signals.ts').then(({ signalUnknownPasskey }) =>
          signalUnknownPasskey(options.rpId, response.id),
        );
      throw error;
    }
  }

  /** Offers passkeys in the address field. The button works without it. */
  async function offerInField(): Promise<void> {
    clearTimeout(renewal);
    if (!(await supportsConditionalUi()) || !isIdle()) return;
    renewal = setTimeout(() => void offerInField(), renewalMilliseconds);
    const options = await requestOptions().catch(() => null);
    const response = options && isIdle() && (await startConditionalUi(options));
    if (!response) return;
    const isOfferedAgain =
      response === 'cancelled'
        ? restartsLeft-- > 0
        : !(await runWithErrors(flow, () => signIn(options, response)));
    if (isOfferedAgain) await offerInField();
  }

  async function signInByButton(): Promise<void> {
    isRequesting = true;
    stopConditionalUi();
    await runWithErrors(flow, async () => {
      const options = await requestOptions();
      await signIn(options, await requestPasskey(options));
    });
    isRequesting = false;
    void offerInField();
  }

  return { isIdle, offerInField, signInByButton };
}
