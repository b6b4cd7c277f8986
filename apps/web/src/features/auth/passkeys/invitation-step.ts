/** The step that accepts an invitation: the name, then a passkey or a code. */
import { t } from '@lingui/core/macro';
import { CallFailure } from '../../../language/call-failure.ts';
import { passkeyUnavailableReason } from '../../../lib/sign-in/passkeys.ts';
import {
  runWithSpinner,
  createButton,
  createElement,
  createForm,
  createTextField,
  createNote,
  createPasskeyButton,
} from './elements.ts';
import { runWithErrors, createFlow, failureMessage, type FlowScreen, type FlowContext } from './flow.ts';

type LinkInvitation = {
  code: string;
  email: string;
  /** Name from the invitation; may be empty. */
  name: string;
  /** A mailed code is required before the passkey. */
  codeFirst: boolean;
};

export async function startWithInvitation(
  screen: FlowScreen,
  invitation: LinkInvitation,
  sentence: string,
): Promise<void> {
  const flow = createFlow(screen);
  const start = () =>
    showInvitation(flow, { ...invitation, name: readTypedName() ?? invitation.name }, sentence);
  // The page was reloaded during the code step (code-step.ts).
  if (!new URLSearchParams(window.location.search).has('attempt')) return start();
  const { resumeCode } = await import('./code-step.ts');
  return resumeCode(flow, start);
}

function showInvitation(flow: FlowContext, invitation: LinkInvitation, sentence: string): void {
  const { panel } = flow;
  const { code, email } = invitation;
  const unavailableReason = passkeyUnavailableReason();
  const usesPasskey = unavailableReason === null && !invitation.codeFirst;
  // Preloads the next step.
  import('./code-step.ts').catch(() => {});
  const name = createTextField(t`Your name`, {
    name: 'name',
    autocomplete: 'name',
    maxLength: 100,
    value: invitation.name || guessName(email),
  });
  const showAgain = () => showInvitation(flow, { ...invitation, name: name.input.value }, sentence);
  const readName = () => {
    const typedName = name.input.value.trim();
    if (typedName === '') name.showError(t`Enter your name as others will see it.`);
    return typedName;
  };

  const mailCode = async () => {
    const typedName = readName();
    if (typedName === '') return;
    storeTypedName(typedName);
    await runWithErrors(flow, async () => {
      const codeStep = await import('./code-step.ts');
      await codeStep
        .mailCode(flow, { invitation: code, name: typedName }, email, showAgain, () => name.input.isConnected)
        .catch(reloadIfEnded);
    });
  };
  const createPasskey = async () => {
    const typedName = readName();
    if (typedName === '') return;
    panel.showError(null);
    try {
      const { registerFirstPasskey } = await import('./code-step.ts');
      await registerFirstPasskey(flow, {
        invitation: code,
        name: typedName,
        returnTo: flow.returnTo,
      }).catch(reloadIfEnded);
    } catch (error) {
      if (error instanceof CallFailure && error.code === 'passkey.code_first')
        showInvitation(flow, { ...invitation, name: typedName, codeFirst: true }, sentence);
      panel.showError(failureMessage(error));
    }
  };
  const submitButton = usesPasskey
    ? createPasskeyButton(t`Continue with a passkey`)
    : createButton(t`E-mail me a code`, 'primary');
  const form = createForm(
    () => runWithSpinner(submitButton, usesPasskey ? createPasskey : mailCode),
    createElement(
      'p',
      'login-panel-fact',
      createElement('small', '', t`This invitation is for`),
      ...addressParts(email),
    ),
    name.element,
    submitButton,
  );
  panel.show(
    sentence,
    form,
    ...(usesPasskey ? [createButton(t`E-mail me a code`, 'secondary', mailCode)] : []),
    createNote(
      unavailableReason ??
        (invitation.codeFirst
          ? t`First, a code confirms that this address is yours. Then you create a passkey.`
          : t`A passkey lets you sign in with your fingerprint, face or PIN. No password needed.`),
    ),
  );
}

/** Returns the name that was sent from this history entry, so that Back shows it after a reload of a later step. */
const readTypedName = () => (window.history.state as { typedName?: string } | null)?.typedName;

/** Bypasses the router, which would load the address. */
const storeTypedName = (typedName: string) =>
  History.prototype.replaceState.call(
    window.history,
    { ...(window.history.state as object | null), typedName },
    '',
  );

/** Reloads the page of an invitation that was accepted, renewed or revoked in the meantime: the reloaded page says which. */
function reloadIfEnded(error: unknown): never {
  if (error instanceof CallFailure && error.code === 'person.invitation_expired') window.location.reload();
  throw error;
}

/** Proposes a name: `ann.other@example.com` becomes Ann Other. */
function guessName(email: string): string {
  const [localPart = ''] = email.split(/[+@]/, 1);
  const words = localPart.split(/[._\-\d]+/).filter(Boolean);
  return words.map(([first = '', ...rest]) => first.toUpperCase() + rest.join('')).join(' ');
}

/** Splits before the domain, as ui/person/person.tsx does. */
const addressParts = (email: string) =>
  email.split(/(?=@[^@]*$)/).map((part) => createElement('span', 'address-part', part));
