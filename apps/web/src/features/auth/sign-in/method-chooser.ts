/** Choice of a sign-in method on the login screen: a button for each, and a field that finds the method by the domain of an address. */
import { t } from '@lingui/core/macro';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { emailMaximumLength } from '@vestibule/contract/rules/limits';
import { CallFailure, describeFailure } from '../../../language/call-failure.ts';
import { letterMarkOf } from '../../../ui/marks/mark-of.ts';
import type { ChosenSignInMethod } from '../auth-client.ts';
import {
  createButton,
  createElement,
  createForm,
  createTextField,
  runWithSpinner,
} from '../passkeys/elements.ts';
import { showChoices } from '../start-screen.ts';
import { findSentence } from './sentence.ts';

export async function showMethodChooser({
  isSignedOut,
  methods,
  address,
  findByAddress,
}: {
  isSignedOut: boolean;
  methods: readonly SignInMethod[];
  /** Initial value of the field. */
  address: string;
  /** Finds the method of an address; throws a CallFailure for an unknown domain. Null if no domains are configured. */
  findByAddress: ((address: string) => Promise<ChosenSignInMethod>) | null;
}): Promise<ChosenSignInMethod> {
  const sentence = await findSentence(isSignedOut, t`How do you want to sign in?`);
  return new Promise((resolve) => {
    const choose = (choice: ChosenSignInMethod) => {
      document.querySelector('main.login')?.classList.remove('login-paused');
      for (const part of document.querySelectorAll('main.login .login-ways')) part.remove();
      resolve(choice);
    };
    showChoices(
      sentence,
      methods.map((method) => ({
        label: t`Continue with ${method.name}`,
        mark: letterMark(method),
        onSelect: () => choose({ method }),
      })),
    );
    if (findByAddress)
      document.querySelector('main.login .login-ways')?.before(addressForm(address, findByAddress, choose));
  });
}

function letterMark(method: SignInMethod): HTMLElement {
  const { letter, hue } = letterMarkOf(method);
  const mark = createElement('span', 'letter-mark');
  mark.dataset['letter'] = letter;
  mark.style.setProperty('--hue', hue);
  return mark;
}

function addressForm(
  initial: string,
  findByAddress: (address: string) => Promise<ChosenSignInMethod>,
  choose: (choice: ChosenSignInMethod) => void,
): HTMLElement {
  const field = createTextField(t`E-mail address`, {
    type: 'email',
    name: 'address',
    autocomplete: 'username',
    maxLength: emailMaximumLength,
    value: initial,
  });
  const button = createButton(t`Continue`, 'secondary');
  const find = async () => {
    const address = field.input.value.trim();
    // The server checks the address, and accepts a full-width @, too.
    if (!/.\W./.test(address)) return field.showError(t`Type your e-mail address, such as ann@example.com.`);
    field.showError(null);
    try {
      return choose(await findByAddress(address));
    } catch (error) {
      return field.showError(failureMessage(error, address));
    }
  };
  const form = createForm(() => runWithSpinner(button, find), field.element, button);
  form.className = 'login-ways';
  return form;
}

function failureMessage(error: unknown, address: string): string {
  if (!(error instanceof CallFailure && error.code === 'sign_in.way_unknown'))
    return describeFailure(error).message;
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return t`No sign-in method is set for ${domain}. Choose one below.`;
}
