/** The first step of the login screen: an address field with passkey autofill, a passkey button and a code by e-mail. */
import { t } from '@lingui/core/macro';
import { emailMaximumLength } from '@vestibule/contract/rules/limits';
import { askForPasskey, signInWithPasskey } from '@vestibule/contract/sign-in/passkeys';
import type { AuthenticationResponse, RequestOptions } from '@vestibule/contract/sign-in/web-authn';
import { CallFailure } from '../../../language/call-failure.ts';
import { call } from '../../../lib/call.ts';
import {
  requestPasskey,
  supportsConditionalUi,
  startConditionalUi,
  stopConditionalUi,
  passkeyUnavailableReason,
} from '../../../lib/sign-in/passkeys.ts';
import {
  runWithSpinner,
  createButton,
  createElement,
  createForm,
  createTextField,
  createNote,
  createPasskeyButton,
} from './elements.ts';
import { runWithErrors, failureMessage, type FlowContext } from './flow-context.ts';

type SignInStep = {
  sentence: string;
  address: string;
  /** Buttons for other methods: `before` has the last one used, `after` the rest. */
  before: readonly HTMLElement[];
  after: readonly HTMLElement[];
};

export function showSignIn(flow: FlowContext, step: SignInStep): void {
  const { panel, returnTo } = flow;
  const unavailableReason = passkeyUnavailableReason();
  const address = createTextField(t`E-mail address`, {
    type: 'email',
    name: 'address',
    autocomplete: unavailableReason === null ? 'username webauthn' : 'username',
    maxLength: emailMaximumLength,
    value: step.address,
  });
  const showAgain = () => showSignIn(flow, { ...step, address: address.input.value });
  let isRequesting = false;
  const isIdle = () => !isRequesting && address.input.isConnected;

  const signIn = async (options: RequestOptions, response: AuthenticationResponse) => {
    try {
      await flow.onSignedIn((await call(signInWithPasskey, { body: { response, returnTo } })).returnTo);
    } catch (error) {
      if (error instanceof CallFailure && error.code === 'passkey.unknown')
        void import('../../../lib/sign-in/passkey-signals.ts').then(({ signalUnknownPasskey }) =>
          signalUnknownPasskey(options.rpId, response.id),
        );
      throw error;
    }
  };
  const requestOptions = () => call(askForPasskey, { body: {} });
  const conditionalUi = import('./conditional-ui.ts').then(
    ({ createConditionalUi }) =>
      createConditionalUi(isIdle, requestOptions, async (options) => {
        const response = await startConditionalUi(options);
        return response && runWithErrors(flow, () => signIn(options, response));
      }),
    // The passkey button works without conditional UI.
    () => null,
  );
  const offerPasskeys = async () => (await supportsConditionalUi()) && (await conditionalUi)?.();
  const passkeyButton = createPasskeyButton(
    t`Sign in with a passkey`,
    async () => {
      isRequesting = true;
      stopConditionalUi();
      await runWithErrors(flow, async () => {
        const options = await requestOptions();
        await signIn(options, await requestPasskey(options));
      });
      isRequesting = false;
      void offerPasskeys();
    },
    step.before[0] ? 'secondary' : 'primary',
  );
  const mailButton = createButton(t`E-mail me a code`, unavailableReason === null ? 'secondary' : 'primary');
  const requestCode = async () => {
    const typed = address.input.value.trim();
    if (!/.@./.test(typed)) return address.showError(t`Enter your e-mail address: the code goes there.`);
    panel.showError(null);
    try {
      const { mailCode } = await import('./code-step.ts');
      return await mailCode(flow, { address: typed }, typed, showAgain, isIdle);
    } catch (error) {
      return panel.showError(failureMessage(error));
    }
  };
  const form = createForm(
    () => runWithSpinner(mailButton, requestCode),
    address.element,
    ...(unavailableReason === null ? [passkeyButton] : []),
    mailButton,
  );
  panel.show(
    step.sentence,
    ...step.before,
    ...(step.before[0] ? [createSeparator()] : []),
    form,
    createNote(
      unavailableReason === null
        ? t`A passkey is your fingerprint, face or PIN. Lost the device? Get a code by e-mail.`
        : `${unavailableReason} ${t`A code by e-mail works everywhere.`}`,
    ),
    ...(step.after[0] ? [createSeparator(), ...step.after] : []),
  );
  if (unavailableReason === null) void offerPasskeys();
}

const createSeparator = () => createElement('p', 'login-or', t`or`);
