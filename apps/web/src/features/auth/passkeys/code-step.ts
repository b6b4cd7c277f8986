/** The step in which somebody enters the code that was mailed to them, and what may follow it: a passkey, offered or demanded. */
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
import { busily, button, element, formOf, lineField } from './elements.ts';
import { flowIn, type Around, type Flow } from './flow-context.ts';

/** A code that is on its way. */
type AskedCode = {
  attempt: string;
  /** Says where it went. */
  sentence: string;
  /** When another one may be asked for, in milliseconds since 1970; null when no further one is sent. */
  resendAt: number | null;
};

/**
 * Has a code mailed, and shows where it is entered; `back` shows the step before. Nothing is shown to whoever has begun
 * something else meanwhile, so that it `isWanted` no more. Throws what the call throws.
 */
export async function mailCode(
  flow: Flow,
  asker: { address: string } | { invitation: string; name: string },
  to: string,
  back: () => void,
  isWanted: () => boolean,
): Promise<void> {
  const asked = await call(requestCode, { body: { ...asker, returnTo: flow.returnTo } });
  if (!isWanted()) return;
  stopConditionalUi();
  showCode(flow, codeIsOnItsWay(asked, to), back);
}

function codeIsOnItsWay(
  { attempt, resendInSeconds }: { attempt: string; resendInSeconds: number | null },
  to: string,
): AskedCode {
  return {
    attempt,
    sentence: t`If ${to} may sign in here, a code is on its way there.`,
    resendAt: momentIn(resendInSeconds),
  };
}

/** Of the link in a mail: what it has behind the `#` is entered at once, in the browser that asked for it. */
export function beginWithCode(around: Around, attempt: string, link: string, back: () => void): void {
  showCode(
    flowIn(around),
    { attempt, sentence: t`Enter the code from your e-mail.`, resendAt: null },
    back,
    link,
  );
}

/** Goes on with what the address keeps, of a page that was loaded again; `back` leads to where a sign-in begins. */
export async function resumeCode(flow: Flow, back: () => void): Promise<void> {
  const attempt = new URLSearchParams(window.location.search).get('attempt') ?? '';
  const [outcome] = await Promise.all([
    call(getSignInOutcome, { query: { attempt } }),
    // What the server says is told in the person's language, if its texts can be had.
    loadServerTexts().catch(() => {}),
  ]);
  switch (outcome.kind) {
    case 'proof':
      return showCode(flow, codeIsOnItsWay({ attempt, ...outcome }, outcome.maskedEmail), back);
    case 'proven':
      return demandPasskey(flow, attempt, back);
    case 'problem':
      return flow.stage.show(formatMessage(outcome), button(t`Use another way`, 'primary', leaving(back)));
  }
}

/**
 * What is waited for stands in the address, so that a page which is loaded again, or which a phone threw away while its owner read the
 * mail, goes on there; in another browser it opens nothing. An invitation keeps its own address. Null: nothing is waited for.
 */
function keepInAddress(attempt: string | null): void {
  const address = new URL(window.location.href);
  const isInvitation = address.pathname === '/signup';
  if (attempt === null) for (const name of ['sign-in', 'attempt']) address.searchParams.delete(name);
  else
    for (const [name, value] of Object.entries({ 'sign-in': 'code', attempt }))
      address.searchParams.set(name, value);
  if (!isInvitation) address.pathname = attempt === null ? '/' : '/login';
  // Not by the router's own way, where there is a router: it would leave this step for what stands at the new address.
  History.prototype.replaceState.call(window.history, window.history.state, '', address);
}

const leaving = (back: () => void) => () => {
  keepInAddress(null);
  back();
};

async function demandPasskey(flow: Flow, attempt: string, back: () => void): Promise<void> {
  const { showDemand } = await import('./new-passkey-step.ts');
  showDemand(flow, attempt, leaving(back));
}

async function offerPasskey(flow: Flow, returnTo: string, isAnother: boolean): Promise<void> {
  const { showOffer } = await import('./new-passkey-step.ts');
  keepInAddress(null);
  // A page that is loaded again asks who is signed in then (cross-tab.ts).
  window.localStorage.setItem('session.begun', '');
  showOffer(flow, returnTo, isAnother);
}

/** `back` shows the step before; what a `link` has is entered at once: the digits, and its key. */
function showCode(flow: Flow, asked: AskedCode, back: () => void, link = ''): void {
  const { stage } = flow;
  let { resendAt } = asked;
  const field = lineField(t`Code`, {
    name: 'code',
    inputMode: 'numeric',
    autocomplete: 'one-time-code',
    // People copy codes with blanks.
    maxLength: 20,
    value: link.slice(0, verificationDigits),
  });
  field.element.classList.add('login-code');
  const goOn = button(t`Continue`, 'primary');
  const resend = element('p', 'login-panel-note');

  const readDigits = () => field.input.value.replaceAll(/\D/g, '');
  const enter = async (): Promise<unknown> => {
    const digits = readDigits();
    if (digits.length !== verificationDigits)
      return field.refuse(t`The code has ${verificationDigits} digits.`);
    stage.complain(null);
    try {
      const { attempt } = asked;
      const { returnTo, next } = await call(verifyEmail, {
        body: { attempt, code: digits, key: link.slice(verificationDigits) },
      });
      if (next === 'passkey-required') return await demandPasskey(flow, attempt, back);
      return next === null || passkeyUnavailableReason() !== null
        ? await flow.inside(returnTo)
        : await offerPasskey(flow, returnTo, next === 'offer-another-passkey');
    } catch (error) {
      const isOfCode = error instanceof CallFailure && error.code.startsWith('sign_in.code_');
      const { message } = describeFailure(error);
      // Corrected meanwhile: what was wrong stands there no more.
      if (isOfCode && readDigits() !== digits)
        return readDigits().length === verificationDigits ? enter() : undefined;
      return isOfCode ? field.refuse(message) : stage.complain(message);
    }
  };
  const submit = () => busily(goOn, enter);
  const form = formOf(submit, field.element, goOn);
  // Nobody has to press anything when all digits are there: typed, pasted, or filled in by the browser.
  field.input.addEventListener('input', () => {
    if (/^\D*(?:\d\D*){6}$/.test(field.input.value)) void submit();
  });

  const { supportEmail } = flow;
  const offerAnother = () => {
    // Said to everybody, whoever has the address: a mail server that is down would tell who is known here.
    const stillNone = ` ${t`Still no code? The site may be unable to send e-mail right now; it keeps trying. If the problem persists, write to ${supportEmail}.`}`;
    if (resendAt === null) return resend.replaceChildren(link === '' ? stillNone : '');
    const wait = resendAt - Date.now();
    if (wait > 0) {
      setTimeout(offerAnother, wait + 50);
      const at = formatMoment(new Date(resendAt), { timeStyle: 'medium' });
      return resend.replaceChildren(
        t`No code yet? Look in the spam folder too. You can request a new one at ${at}.`,
      );
    }
    const again = button(t`Send a new code`, 'secondary', async () => {
      stage.complain(null);
      try {
        resendAt = momentIn(
          (await call(resendVerificationCode, { body: { attempt: asked.attempt } })).resendInSeconds,
        );
        field.input.value = '';
        offerAnother();
        resend.prepend(t`A new code is on its way. The previous one no longer works.`, ' ');
        field.input.focus();
      } catch (error) {
        stage.complain(describeFailure(error).message);
      }
    });
    return resend.replaceChildren(again, stillNone);
  };
  offerAnother();
  resend.role = 'status';

  stage.show(asked.sentence, form, resend, button(t`Use another way`, 'quiet', leaving(back)));
  keepInAddress(asked.attempt);
  // The link of the mail in this very tab changes what stands behind the # and nothing else.
  window.addEventListener('hashchange', () => field.input.isConnected && window.location.reload());
  if (link !== '') void submit();
}

function momentIn(seconds: number | null): number | null {
  return seconds === null ? null : Date.now() + seconds * 1000;
}
