/** The step that asks for a mailed code, followed by a required or offered passkey if the server asks for one. */
import { t } from '@lingui/core/macro';
import {
  getSignInOutcome,
  resendVerificationCode,
  verificationDigits,
  verifyEmail,
  type SignInOutcome,
} from '@vestibule/contract/sign-in';
import { requestCode } from '@vestibule/contract/sign-in/codes';
import {
  addPasskey,
  createFirstPasskey,
  startFirstPasskey,
  startPasskey,
} from '@vestibule/contract/sign-in/passkeys';
import { CallFailure, describeFailure } from '../../../language/call-failure.ts';
import { formatMessage } from '../../../language/format-message.ts';
import { formatMoment } from '../../../language/moment.ts';
import { loadServerTexts } from '../../../language/language.ts';
import { call } from '../../../lib/call.ts';
import { createPasskey } from '../../../lib/sign-in/new-passkey.ts';
import { passkeyUnavailableReason, stopConditionalUi } from '../../../lib/sign-in/passkeys.ts';
import { readDigits } from '../read-digits.ts';
import { writeStored } from '../storage/storage.ts';
import {
  createButton,
  createElement,
  createForm,
  createNote,
  createPasskeyButton,
  createTextField,
  runWithSpinner,
} from './elements.ts';
import { createFlow, runWithErrors, type FlowContext, type FlowScreen } from './flow.ts';

type MailedCode = {
  attempt: string;
  sentence: string;
  /** Time at which another code may be requested, in milliseconds since 1970; null if no further code can be requested. */
  resendAt: number | null;
};

/**
 * Mails a code, then shows the code step if `isWanted` still returns true. `back` shows the previous step. Throws a CallFailure if the
 * request fails.
 */
export async function mailCode(
  flow: FlowContext,
  requester: { address: string } | { invitation: string; name: string },
  to: string,
  back: () => void,
  isWanted: () => boolean,
): Promise<void> {
  const attempt = await call(requestCode, { body: { ...requester, returnTo: flow.returnTo } });
  if (!isWanted()) return;
  stopConditionalUi();
  flow.steps.open({
    show: () => showCodeStep(flow, toMailedCode(attempt, to), back),
    // The code may have been used.
    showAgain: () => runWithErrors(flow, () => resumeCode(flow, back)),
    previous: back,
  });
}

const toMailedCode = (
  { attempt, resendInSeconds }: { attempt: string; resendInSeconds: number | null },
  to: string,
): MailedCode => ({
  attempt,
  // An invited address is known. Of others, the sentence must not reveal whether they are.
  sentence:
    window.location.pathname === '/signup'
      ? t`A code is on its way to ${to}.`
      : t`If ${to} may sign in here, a code is on its way there.`,
  resendAt: timeAfter(resendInSeconds),
});

/** Shows the code step and submits the code in `link`, the fragment of a mailed link. */
export function startWithLink(screen: FlowScreen, attempt: string, link: string, back: () => void): void {
  showCodeStep(
    createFlow(screen),
    { attempt, sentence: t`Enter the code from your e-mail.`, resendAt: null },
    back,
    link,
  );
}

/** After a reload, resumes the attempt whose id is in the address. */
export async function resumeCode(flow: FlowContext, back: () => void): Promise<void> {
  const attempt = new URLSearchParams(window.location.search).get('attempt') ?? '';
  const [outcome] = await Promise.all([
    call(getSignInOutcome, { query: { attempt } }),
    // Without these texts the server's message is shown in English.
    loadServerTexts().catch(() => {}),
  ]);
  switch (outcome.kind) {
    case 'proof':
      return outcome.way.kind === 'passkeys'
        ? showCodeStep(flow, toMailedCode({ attempt, ...outcome }, outcome.maskedEmail), back)
        : showAddressVerification(flow, attempt, outcome);
    case 'proven':
      return showRequiredPasskey(flow, attempt, back);
    case 'problem':
      flow.panel.show(
        formatMessage(outcome),
        createButton(t`Use another way`, 'primary', leavingStep(flow, back)),
      );
  }
}

function verificationSentence(outcome: Extract<SignInOutcome, { kind: 'proof' }>): string {
  if (outcome.purpose === 'confirm') return t`A code is on its way to your address.`;
  return outcome.purpose === 'move'
    ? t`${outcome.way.name} has not confirmed your address. We have sent a code to ${outcome.maskedEmail}, your address here. You need it only once.`
    : t`${outcome.way.name} has not confirmed your address. We have sent a code to ${outcome.maskedEmail}, the invited address. You need it only once.`;
}

/** Shows the code step for a provider that has not verified the account's address, or does not report the time of authentication. */
function showAddressVerification(
  flow: FlowContext,
  attempt: string,
  outcome: Extract<SignInOutcome, { kind: 'proof' }>,
): void {
  const { resendInSeconds } = outcome;
  const sentence = verificationSentence(outcome);
  showCodeStep(
    // The session has changed, or belongs to another user than before.
    { ...flow, onSignedIn: leaveTo },
    { attempt, sentence, resendAt: timeAfter(resendInSeconds) },
    () => {
      // An automatic sign-in would ask for the code again.
      writeStored('nextSignIn', { forceLogin: true });
      void leaveTo('/');
    },
  );
}

function leaveTo(address: string): Promise<never> {
  window.location.replace(address);
  return new Promise(() => {});
}

/** Stores the attempt's id in the address, so that a reload resumes the step; null removes the id. */
function storeAttemptInAddress(attempt: string | null): void {
  const address = new URL(window.location.href);
  const { searchParams, pathname } = address;
  searchParams.delete('sign-in');
  searchParams.delete('attempt');
  if (attempt !== null) {
    searchParams.set('sign-in', 'code');
    searchParams.set('attempt', attempt);
  }
  if (pathname !== '/signup') address.pathname = attempt === null ? '/' : '/login';
  // Bypasses the router, whose patched replaceState would navigate to the new address.
  History.prototype.replaceState.call(window.history, window.history.state, '', address);
}

const leavingStep =
  ({ steps }: FlowContext, back: () => void) =>
  () =>
    steps.back(() => {
      storeAttemptInAddress(null);
      back();
    });

/** Shows the code field. A `link` holds the digits, followed by a key, and is submitted immediately. */
function showCodeStep(flow: FlowContext, mailedCode: MailedCode, back: () => void, link = ''): void {
  const { panel } = flow;
  let { resendAt } = mailedCode;
  const field = createTextField(t`Code`, {
    name: 'code',
    inputMode: 'numeric',
    autocomplete: 'one-time-code',
    // Copied codes may contain blanks.
    maxLength: 20,
    value: link.slice(0, verificationDigits),
  });
  field.element.classList.add('login-code');
  const submitButton = createButton(t`Continue`, 'primary');
  const resendArea = createElement('p', 'login-panel-note');

  const enteredDigits = () => readDigits(field.input.value);
  /** Wrong digits, which are not sent again, because every attempt counts. */
  let refused: { digits: string; message: string } | null = null;
  const verify = async (): Promise<unknown> => {
    const digits = enteredDigits();
    if (digits.length !== verificationDigits)
      return field.showError(t`The code has ${verificationDigits} digits.`);
    panel.showError(null);
    if (digits === refused?.digits) return field.showError(refused.message);
    try {
      const { attempt } = mailedCode;
      const { returnTo, next } = await call(verifyEmail, {
        body: { attempt, code: digits, key: link.slice(verificationDigits) },
      });
      if (next === 'passkey-required') return showRequiredPasskey(flow, attempt, back);
      return next === null || passkeyUnavailableReason() !== null
        ? await flow.onSignedIn(returnTo)
        : await showPasskeyOffer(flow, returnTo, next === 'offer-another-passkey');
    } catch (error) {
      const isCodeError = error instanceof CallFailure && error.code.startsWith('sign_in.code_');
      const { message } = describeFailure(error);
      if (isCodeError && error.code === 'sign_in.code_wrong') refused = { digits, message };
      // The user corrected the code during the request: the error is outdated.
      if (isCodeError && enteredDigits() !== digits)
        return enteredDigits().length === verificationDigits ? verify() : undefined;
      if (isCodeError) return field.showError(message);
      const isLinkElsewhere = link !== '' && error instanceof CallFailure && error.code === 'sign_in.expired';
      return panel.showError(
        isLinkElsewhere
          ? t`This link works once, and only in the browser or app where you requested the code. Enter the code there, or sign in again here.`
          : message,
      );
    }
  };
  const submit = () => runWithSpinner(submitButton, verify);
  const form = createForm(submit, field.element, submitButton);
  // Submits once all digits are present: typed, pasted or autofilled.
  field.input.addEventListener('input', () => {
    if (enteredDigits().length === verificationDigits) void submit();
  });

  const { supportEmail } = flow;
  const updateResendArea = () => {
    // Shown for every address: a mail server failure must not reveal which addresses are known.
    const deliveryHint = ` ${t`Still no code? The site may be unable to send e-mail right now; it keeps trying. If the problem persists, write to ${supportEmail}.`}`;
    if (resendAt === null) return resendArea.replaceChildren(link === '' ? deliveryHint : '');
    const waitMilliseconds = resendAt - Date.now();
    if (waitMilliseconds > 0) {
      setTimeout(updateResendArea, waitMilliseconds + 50);
      const at = formatMoment(new Date(resendAt), { timeStyle: 'medium' });
      return resendArea.replaceChildren(
        t`No code yet? Look in the spam folder too. You can request a new one at ${at}.`,
      );
    }
    const resendButton = createButton(t`Send a new code`, 'secondary', async () => {
      panel.showError(null);
      try {
        resendAt = timeAfter(
          (await call(resendVerificationCode, { body: { attempt: mailedCode.attempt } })).resendInSeconds,
        );
        field.input.value = '';
        refused = null;
        updateResendArea();
        resendArea.prepend(t`A new code is on its way. The previous one no longer works.`, ' ');
        field.input.focus();
      } catch (error) {
        panel.showError(describeFailure(error).message);
      }
    });
    return resendArea.replaceChildren(resendButton, deliveryHint);
  };
  updateResendArea();
  resendArea.role = 'status';

  const signal = panel.show(
    mailedCode.sentence,
    form,
    resendArea,
    createButton(t`Use another way`, 'quiet', leavingStep(flow, back)),
  );
  storeAttemptInAddress(mailedCode.attempt);
  // Opening the mailed link in this tab changes only the fragment.
  window.addEventListener('hashchange', () => field.input.isConnected && window.location.reload(), {
    once: true,
    signal,
  });
  if (link !== '') void submit();
}

const timeAfter = (seconds: number | null): number | null =>
  seconds === null ? null : Date.now() + seconds * 1000;

/** Shows the step that creates a required passkey. The user is signed in only after that. */
function showRequiredPasskey(flow: FlowContext, attempt: string, back: () => void): void {
  const unavailableReason = passkeyUnavailableReason();
  const { supportEmail } = flow;
  const skipButton = createButton(t`Use another way`, 'quiet', leavingStep(flow, back));
  if (unavailableReason !== null) {
    flow.panel.show(
      t`This site requires a passkey.`,
      createNote(`${unavailableReason} ${t`Use another browser or device, or write to ${supportEmail}.`}`),
      skipButton,
    );
    return;
  }
  flow.panel.show(
    t`The code is correct. Now create a passkey: this site requires one.`,
    createPasskeyButton(t`Create a passkey`, () =>
      runWithErrors(flow, () => registerFirstPasskey(flow, { attempt })),
    ),
    createNote(t`A passkey lets you sign in with your fingerprint, face or PIN. No password needed.`),
    skipButton,
  );
}

/** Offers to create a passkey to a user who is already signed in. */
async function showPasskeyOffer(flow: FlowContext, returnTo: string, isAnother: boolean): Promise<void> {
  await flow.steps.complete();
  storeAttemptInAddress(null);
  // Marks this browser as signed in, so that the page checks after a reload which user is signed in (storage.ts).
  window.localStorage.setItem('session.begun', '');
  const createAndAdd = () =>
    runWithErrors(flow, async () => {
      const { attempt, options } = await call(startPasskey, { body: {} });
      await call(addPasskey, { body: { attempt, response: await createPasskey(options) } });
      await flow.onSignedIn(returnTo);
    });
  const createButtonElement = createPasskeyButton(
    t`Create a passkey`,
    createAndAdd,
    isAnother ? 'secondary' : 'primary',
  );
  const skipButton = createButton(t`Not now`, isAnother ? 'primary' : 'secondary', () =>
    flow.onSignedIn(returnTo),
  );
  flow.panel.show(
    isAnother
      ? t`You are signed in. Have you lost the device with your passkey?`
      : t`You are signed in. Next time without a code?`,
    createNote(
      isAnother
        ? t`If this is your own device, create a new passkey on it. You can also do this later in your profile.`
        : t`A passkey lets you sign in with your fingerprint, face or PIN. You can also create one later in your profile.`,
    ),
    // This may be a shared computer, so skipping is the primary action for another passkey.
    ...(isAnother ? [skipButton, createButtonElement] : [createButtonElement, skipButton]),
  );
}

/** Creates the first passkey, which signs the user in. Throws a PasskeyFailure or CallFailure. */
export async function registerFirstPasskey(
  flow: FlowContext,
  body: { invitation: string; name: string; returnTo: string } | { attempt: string },
): Promise<void> {
  const { attempt, options } = await call(startFirstPasskey, { body });
  const response = await createPasskey(options);
  const { returnTo } = await call(createFirstPasskey, { body: { attempt, response } });
  await flow.onSignedIn(returnTo);
}
