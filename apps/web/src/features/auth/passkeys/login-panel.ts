/**
 * The login screen of a site with passkeys, without React: an address field with passkey autofill, a passkey button, a code by e-mail, and a
 * button for each other method.
 */
import { t } from '@lingui/core/macro';
import type { Configuration, SignInMethod } from '@vestibule/contract/configuration';
import { emailMaximumLength } from '@vestibule/contract/rules/limits';
import { CallFailure } from '../../../language/call-failure.ts';
import { passkeyUnavailableReason, stopConditionalUi } from '../../../lib/sign-in/passkeys.ts';
import type { ChosenSignInMethod } from '../auth-client.ts';
import { findSentence } from '../sign-in/sentence.ts';
import { showLoginStatus } from '../start-screen.ts';
import { readSavedUrl } from '../storage/return-url.ts';
import {
  onSessionElsewhere,
  readLastSignInMethod,
  readStored,
  storeLastSignInMethod,
  takeStored,
  writeStored,
  type NextSignIn,
} from '../storage/storage.ts';
import {
  createButton,
  createElement,
  createForm,
  createNote,
  createPasskeyButton,
  createTextField,
  runWithSpinner,
} from './elements.ts';
import { createFlow, runWithErrors, type FlowContext } from './flow.ts';
import { createPasskeySignIn } from './passkey-sign-in.ts';

/**
 * Resolves with the method that the user chooses instead of a passkey or code. After a sign-in in the panel, the page is left and the
 * promise never settles.
 */
export async function showLoginPanel(
  { SupportEmail, KnowsDomains }: Configuration,
  methods: readonly SignInMethod[],
  next: NextSignIn,
  requestSignIn: RequestSignIn,
): Promise<ChosenSignInMethod> {
  const sentence = await findSentence(next.forceLogin === true, t`Please sign in.`);
  const screen = document.querySelector('main.login');
  const container = createElement('div', 'login-panel');
  screen?.classList.add('login-paused');
  screen?.querySelector('.login-status')?.after(container);
  let isSignedIn = false;
  return new Promise((resolve) => {
    const choose = (method: SignInMethod, url?: string | null) => {
      stopConditionalUi();
      container.remove();
      screen?.classList.remove('login-paused');
      resolve({ method, ...(url !== undefined && { url }) });
    };
    const flow = createFlow({
      container,
      setStatus: showLoginStatus,
      returnTo: readSavedUrl(),
      supportEmail: SupportEmail,
      onSignedIn(returnTo) {
        // The button and the field's conditional UI may both succeed.
        if (isSignedIn) return;
        isSignedIn = true;
        for (const { id, kind } of methods) if (kind === 'passkeys') storeLastSignInMethod(id);
        takeStored('nextSignIn');
        window.location.replace(returnTo);
      },
    });
    // For example, the link in the mail was opened in another tab.
    onSessionElsewhere(() => container.isConnected && window.location.replace(flow.returnTo));
    const last = readLastSignInMethod();
    const createButtons = (isLast: boolean) =>
      methods
        .filter(({ id, kind }) => kind !== 'passkeys' && (id === last) === isLast)
        .map((method) =>
          createButton(t`Continue with ${method.name}`, isLast ? 'primary' : 'secondary', () =>
            choose(method),
          ),
        );
    showSignIn(flow, {
      sentence,
      address: next.address ?? '',
      findConnection: KnowsDomains
        ? async (address) => {
            const found = await requestSignIn({ address }).catch(ignoreUnknown);
            return found && !methods.some(({ id }) => id === found.way.id)
              ? { name: found.way.name, onChoose: () => choose(found.way, found.url) }
              : null;
          }
        : null,
      before: createButtons(true),
      after: createButtons(false),
    });
  });
}

type RequestSignIn = (request: { address: string }) => Promise<{ way: SignInMethod; url: string | null }>;

/** Most addresses belong to no organization with a provider. */
function ignoreUnknown(error: unknown): null {
  if (error instanceof CallFailure && error.code === 'sign_in.way_unknown') return null;
  throw error;
}

type SignInStep = {
  sentence: string;
  address: string;
  /** Finds the provider of the organization that has the domain of an address. Null if there are none. */
  findConnection: ((address: string) => Promise<Connection | null>) | null;
  /** Buttons for other methods: `before` has the last one used, `after` the rest. */
  before: readonly HTMLElement[];
  after: readonly HTMLElement[];
};

function showSignIn(flow: FlowContext, step: SignInStep): void {
  const unavailableReason = passkeyUnavailableReason();
  const canUsePasskey = unavailableReason === null;
  const address = createTextField(t`E-mail address`, {
    type: 'email',
    name: 'address',
    autocomplete: canUsePasskey ? 'username webauthn' : 'username',
    maxLength: emailMaximumLength,
    value: step.address,
  });
  const passkey = createPasskeySignIn(flow, address.input);
  const passkeyButton = createPasskeyButton(
    t`Sign in with a passkey`,
    passkey.signInByButton,
    step.before[0] ? 'secondary' : 'primary',
  );
  const mailButton = createButton(t`E-mail me a code`, canUsePasskey ? 'secondary' : 'primary');
  const showAgain = () => showSignIn(flow, { ...step, address: address.input.value });

  const requestCode = async () => {
    const typed = address.input.value.trim();
    // The server checks the address.
    if (!typed) return address.showError(t`Enter your e-mail address: the code goes there.`);
    return runWithErrors(flow, async () => {
      const { mailCode } = await import('./code-step.ts');
      const sendCode = (back: () => void, isWanted: () => boolean) =>
        mailCode(flow, { address: typed }, typed, back, isWanted);
      const connection = await step.findConnection?.(typed);
      // After Back from a reloaded step, the page is loaded again.
      writeStored('nextSignIn', { ...readStored('nextSignIn'), address: typed });
      if (!connection) return sendCode(showAgain, passkey.isIdle);
      const show = () => showConnection(flow, connection, sendCode);
      return flow.steps.open({ show, showAgain: show, previous: showAgain });
    });
  };
  const form = createForm(
    () => runWithSpinner(mailButton, requestCode),
    address.element,
    ...(canUsePasskey ? [passkeyButton] : []),
    mailButton,
  );
  flow.panel.show(
    step.sentence,
    ...step.before,
    ...(step.before[0] ? [createSeparator()] : []),
    form,
    createNote(
      canUsePasskey
        ? t`A passkey is your fingerprint, face or PIN. Lost the device? Get a code by e-mail.`
        : `${unavailableReason} ${t`A code by e-mail works everywhere.`}`,
    ),
    ...(step.after[0] ? [createSeparator(), ...step.after] : []),
  );
  if (canUsePasskey) void passkey.offerInField();
}

type Connection = { name: string; onChoose: () => void };

/** Offers the provider of the address, and a code: managers need it if their provider fails. */
function showConnection(
  flow: FlowContext,
  connection: Connection,
  sendCode: (back: () => void, isWanted: () => boolean) => Promise<unknown>,
): void {
  stopConditionalUi();
  const showAgain = () => showConnection(flow, connection, sendCode);
  const mailButton = createButton(t`E-mail me a code`, 'secondary', () =>
    runWithErrors(flow, () => sendCode(showAgain, () => mailButton.isConnected)),
  );
  flow.panel.show(
    t`Your organization signs in with its own provider.`,
    createButton(t`Continue with ${connection.name}`, 'primary', connection.onChoose),
    mailButton,
    createButton(t`Another address`, 'quiet', () => window.history.back()),
  );
}

const createSeparator = () => createElement('p', 'login-or', t`or`);
