/** The step that asks for a mailed code, followed by a required or offered passkey if the server asks for one. */
import { t } from '@lingui/core/macro';
import {
  getSignInOutcome,
  verificationDigits,
  verifyEmail,
  resendVerificationCode,
} from '@vestibule/contract/sign-in';
import { requestCode } from '@vestibule/contract/sign-in/codes';
import { formatMoment } from '../../../language/formats.ts';
import { loadServerTexts } from '../../../language/language.ts';
import { formatMessage } from '../../../language/format-message.ts';
import { CallFailure, describeFailure } from '../../../language/call-failure.ts';
import { call } from '../../../lib/call.ts';
import { stopConditionalUi, passkeyUnavailableReason } from '../../../lib/sign-in/passkeys.ts';
import { runWithSpinner, createButton, createElement, createForm, createTextField } from './elements.ts';
import { createFlow, type FlowScreen, type FlowContext } from './flow-context.ts';

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
  showCodeStep(flow, toMailedCode(attempt, to), back);
}

function toMailedCode(
  { attempt, resendInSeconds }: { attempt: string; resendInSeconds: number | null },
  to: string,
): MailedCode {
  return {
    attempt,
    sentence: t`If ${to} may sign in here, a code is on its way there.`,
    resendAt: timeAfter(resendInSeconds),
  };
}

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
      return showCodeStep(flow, toMailedCode({ attempt, ...outcome }, outcome.maskedEmail), back);
    case 'proven':
      return requirePasskey(flow, attempt, back);
    case 'problem':
      flow.panel.show(
        formatMessage(outcome),
        createButton(t`Use another way`, 'primary', clearingAttempt(back)),
      );
  }
}

/** Stores the attempt's id in the address, so that a reload resumes the step; null removes the id. */
function storeAttemptInAddress(attempt: string | null): void {
  const address = new URL(window.location.href);
  const isSignUp = address.pathname === '/signup';
  if (attempt === null) for (const name of ['sign-in', 'attempt']) address.searchParams.delete(name);
  else
    for (const [name, value] of Object.entries({ 'sign-in': 'code', attempt }))
      address.searchParams.set(name, value);
  if (!isSignUp) address.pathname = attempt === null ? '/' : '/login';
  // Bypasses the router, whose patched replaceState would navigate to the new address.
  History.prototype.replaceState.call(window.history, window.history.state, '', address);
}

const clearingAttempt = (back: () => void) => () => {
  storeAttemptInAddress(null);
  back();
};

async function requirePasskey(flow: FlowContext, attempt: string, back: () => void): Promise<void> {
  const { showRequiredPasskey } = await import('./new-passkey-step.ts');
  showRequiredPasskey(flow, attempt, clearingAttempt(back));
}

async function offerPasskey(flow: FlowContext, returnTo: string, isAnother: boolean): Promise<void> {
  const { showPasskeyOffer } = await import('./new-passkey-step.ts');
  storeAttemptInAddress(null);
  // Marks this browser as signed in, so that the page checks after a reload which user is signed in (cross-tab.ts).
  window.localStorage.setItem('session.begun', '');
  showPasskeyOffer(flow, returnTo, isAnother);
}

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

  const readDigits = () => field.input.value.replaceAll(/\D/g, '');
  const verify = async (): Promise<unknown> => {
    const digits = readDigits();
    if (digits.length !== verificationDigits)
      return field.showError(t`The code has ${verificationDigits} digits.`);
    panel.showError(null);
    try {
      const { attempt } = mailedCode;
      const { returnTo, next } = await call(verifyEmail, {
        body: { attempt, code: digits, key: link.slice(verificationDigits) },
      });
      if (next === 'passkey-required') return await requirePasskey(flow, attempt, back);
      return next === null || passkeyUnavailableReason() !== null
        ? await flow.onSignedIn(returnTo)
        : await offerPasskey(flow, returnTo, next === 'offer-another-passkey');
    } catch (error) {
      const isCodeError = error instanceof CallFailure && error.code.startsWith('sign_in.code_');
      const { message } = describeFailure(error);
      // The user corrected the code during the request: the error is outdated.
      if (isCodeError && readDigits() !== digits)
        return readDigits().length === verificationDigits ? verify() : undefined;
      return isCodeError ? field.showError(message) : panel.showError(message);
    }
  };
  const submit = () => runWithSpinner(submitButton, verify);
  const form = createForm(submit, field.element, submitButton);
  // Submits once all digits are present: typed, pasted or autofilled.
  field.input.addEventListener('input', () => {
    if (/^\D*(?:\d\D*){6}$/.test(field.input.value)) void submit();
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
    createButton(t`Use another way`, 'quiet', clearingAttempt(back)),
  );
  storeAttemptInAddress(mailedCode.attempt);
  // Opening the mailed link in this tab changes only the fragment.
  window.addEventListener('hashchange', () => field.input.isConnected && window.location.reload(), {
    once: true,
    signal,
  });
  if (link !== '') void submit();
}

function timeAfter(seconds: number | null): number | null {
  return seconds === null ? null : Date.now() + seconds * 1000;
}
