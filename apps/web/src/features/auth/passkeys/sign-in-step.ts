/** The first step on the login screen: an address whose field offers passkeys, a button that asks for one, and a code by mail. */
import { t } from '@lingui/core/macro';
import { emailMaximumLength } from '@vestibule/contract/rules/limits';
import { askForPasskey as askServer, signInWithPasskey } from '@vestibule/contract/sign-in/passkeys';
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
import { busily, button, element, formOf, lineField, note, passkeyButton } from './elements.ts';
import { attemptIn, whyNot, type Flow } from './flow-context.ts';

type Start = {
  sentence: string;
  /** An address that is known already. */
  address: string;
  /** Buttons for other ways: the one that was used last, and all others. */
  before: readonly HTMLElement[];
  after: readonly HTMLElement[];
};

export function showSignIn(flow: Flow, start: Start): void {
  const { stage, returnTo } = flow;
  const why = passkeyUnavailableReason();
  const address = lineField(t`E-mail address`, {
    type: 'email',
    name: 'address',
    autocomplete: why === null ? 'username webauthn' : 'username',
    maxLength: emailMaximumLength,
    value: start.address,
  });
  const again = () => showSignIn(flow, { ...start, address: address.input.value });
  let isAsking = false;
  const isIdle = () => !isAsking && address.input.isConnected;

  const enter = async (options: RequestOptions, response: AuthenticationResponse) => {
    try {
      await flow.inside((await call(signInWithPasskey, { body: { response, returnTo } })).returnTo);
    } catch (error) {
      if (error instanceof CallFailure && error.code === 'passkey.unknown')
        void import('../../../lib/sign-in/passkey-signals.ts').then(({ forgetPasskey }) =>
          forgetPasskey(options.rpId, response.id),
        );
      throw error;
    }
  };
  const ask = () => call(askServer, { body: {} });
  const beginOffering = import('./conditional-ui.ts').then(
    ({ offering }) =>
      offering(isIdle, ask, async (options) => {
        const response = await startConditionalUi(options);
        return response && attemptIn(flow, () => enter(options, response));
      }),
    // The button is there all the same.
    () => null,
  );
  const offer = async () => (await supportsConditionalUi()) && (await beginOffering)?.();
  const use = passkeyButton(
    t`Sign in with a passkey`,
    async () => {
      isAsking = true;
      stopConditionalUi();
      await attemptIn(flow, async () => {
        const options = await ask();
        await enter(options, await requestPasskey(options));
      });
      isAsking = false;
      void offer();
    },
    start.before[0] ? 'secondary' : 'primary',
  );
  const mail = button(t`E-mail me a code`, why === null ? 'secondary' : 'primary');
  const mailIt = async () => {
    const typed = address.input.value.trim();
    if (!/.@./.test(typed)) return address.refuse(t`Enter your e-mail address: the code goes there.`);
    stage.complain(null);
    try {
      const { mailCode } = await import('./code-step.ts');
      return await mailCode(flow, { address: typed }, typed, again, isIdle);
    } catch (error) {
      return stage.complain(whyNot(error));
    }
  };
  const form = formOf(() => busily(mail, mailIt), address.element, ...(why === null ? [use] : []), mail);
  stage.show(
    start.sentence,
    ...start.before,
    ...(start.before[0] ? [or()] : []),
    form,
    note(
      why === null
        ? t`A passkey is your fingerprint, face or PIN. Lost the device? Get a code by e-mail.`
        : `${why} ${t`A code by e-mail works everywhere.`}`,
    ),
    ...(start.after[0] ? [or(), ...start.after] : []),
  );
  if (why === null) void offer();
}

const or = () => element('p', 'login-or', t`or`);
