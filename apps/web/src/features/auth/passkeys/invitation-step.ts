/** The step of somebody with an invitation: their name, then a passkey, or a code. */
import { t } from '@lingui/core/macro';
import { CallFailure } from '../../../language/call-failure.ts';
import { passkeyUnavailableReason } from '../../../lib/sign-in/passkeys.ts';
import { busily, button, element, formOf, lineField, note, passkeyButton } from './elements.ts';
import { attemptIn, flowIn, whyNot, type Around, type Flow } from './flow-context.ts';

/** An invitation, as its link shows it. */
type Invited = {
  code: string;
  email: string;
  /** What the invitation calls the person, or empty. */
  name: string;
  /** A mailed code comes before the passkey. */
  codeFirst: boolean;
};

export async function beginWithInvitation(around: Around, invited: Invited, sentence: string): Promise<void> {
  const flow = flowIn(around);
  const begin = () => showInvitation(flow, invited, sentence);
  // Loaded again while a code is waited for (code-step.ts).
  if (!new URLSearchParams(window.location.search).has('attempt')) return begin();
  const { resumeCode } = await import('./code-step.ts');
  return resumeCode(flow, begin);
}

/** `sentence` says who invited whom. */
function showInvitation(flow: Flow, invited: Invited, sentence: string): void {
  const { stage } = flow;
  const { code, email } = invited;
  const why = passkeyUnavailableReason();
  const leadsToPasskey = why === null && !invited.codeFirst;
  // What comes next is here by the time that somebody has read this.
  (leadsToPasskey ? import('./new-passkey-step.ts') : import('./code-step.ts')).catch(() => {});
  const name = lineField(t`Your name`, {
    name: 'name',
    autocomplete: 'name',
    maxLength: 100,
    value: invited.name || nameFrom(email),
  });
  const again = () => showInvitation(flow, { ...invited, name: name.input.value }, sentence);
  const named = () => {
    const typed = name.input.value.trim();
    if (typed === '') name.refuse(t`Enter your name as others will see it.`);
    return typed;
  };

  const mail = async () => {
    const typed = named();
    if (typed === '') return;
    await attemptIn(flow, async () => {
      const { mailCode } = await import('./code-step.ts');
      await mailCode(flow, { invitation: code, name: typed }, email, again, () => name.input.isConnected);
    });
  };
  const make = async () => {
    const typed = named();
    if (typed === '') return;
    stage.complain(null);
    try {
      const { makeFirst } = await import('./new-passkey-step.ts');
      await makeFirst(flow, { invitation: code, name: typed, returnTo: flow.returnTo });
    } catch (error) {
      if (error instanceof CallFailure && error.code === 'passkey.code_first')
        showInvitation(flow, { ...invited, name: typed, codeFirst: true }, sentence);
      stage.complain(whyNot(error));
    }
  };
  const likeliest = leadsToPasskey
    ? passkeyButton(t`Continue with a passkey`)
    : button(t`E-mail me a code`, 'primary');
  const form = formOf(
    () => busily(likeliest, leadsToPasskey ? make : mail),
    element('p', 'login-panel-fact', element('small', '', t`This invitation is for`), ...addressParts(email)),
    name.element,
    likeliest,
  );
  stage.show(
    sentence,
    form,
    ...(leadsToPasskey ? [button(t`E-mail me a code`, 'secondary', mail)] : []),
    note(
      why ??
        (invited.codeFirst
          ? t`First, a code confirms that this address is yours. Then you create a passkey.`
          : t`A passkey lets you sign in with your fingerprint, face or PIN. No password needed.`),
    ),
  );
}

/** A first guess, which people correct: `ann.other@example.com` is Ann Other. */
function nameFrom(email: string): string {
  const [before = ''] = email.split(/[+@]/, 1);
  const words = before.split(/[._\-\d]+/).filter(Boolean);
  return words.map(([first = '', ...rest]) => first.toUpperCase() + rest.join('')).join(' ');
}

/** As ui/person/address.tsx: broken before its domain. */
const addressParts = (email: string) =>
  email.split(/(?=@[^@]*$)/).map((part) => element('span', 'address-part', part));
