/** Choice of a sign-in method on the login screen: a button for each, and a field that finds the method by the domain of an address. */
import { t } from '@lingui/core/macro';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { emailMaximumLength } from '@vestibule/contract/rules/limits';
import { CallFailure, describeFailure } from '../../../language/call-failure.ts';
import { letterMarkOf } from '../../../ui/marks/mark-of.ts';
import '../fields.css';
import type { ChosenSignInMethod } from '../auth-client.ts';
import { showChoices } from '../start-screen.ts';

export function showMethodChooser({
  sentence,
  methods,
  findByAddress,
}: {
  sentence: string;
  methods: readonly SignInMethod[];
  /** Finds the method of an address; throws a CallFailure for an unknown domain. Null if no domains are configured. */
  findByAddress: ((address: string) => Promise<ChosenSignInMethod>) | null;
}): Promise<ChosenSignInMethod> {
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
      document.querySelector('main.login .login-ways')?.before(addressForm(findByAddress, choose));
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
  findByAddress: (address: string) => Promise<ChosenSignInMethod>,
  choose: (choice: ChosenSignInMethod) => void,
): HTMLElement {
  const form = createElement('form', 'login-ways');
  form.noValidate = true;
  const label = createElement('label', 'field');
  const field = createElement('input', 'field-input');
  Object.assign(field, { type: 'email', autocomplete: 'username', maxLength: emailMaximumLength });
  const name = createElement('span', 'field-label');
  name.textContent = t`E-mail address`;
  label.append(name, field);
  const error = createElement('div', 'field-error');
  error.role = 'alert';
  error.id = 'address-error';
  field.setAttribute('aria-describedby', error.id);
  const button = createElement('button', 'button button-secondary button-medium');
  button.textContent = t`Continue`;
  form.append(label, error, button);
  const showError = (sentence: string) => {
    error.textContent = sentence;
    field.toggleAttribute('aria-invalid', sentence !== '');
    if (sentence) field.focus();
  };
  let isBusy = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (isBusy) return;
    const address = field.value.trim();
    if (!/.@./.test(address)) return showError(t`Type your e-mail address, such as ann@example.com.`);
    isBusy = true;
    showError('');
    findByAddress(address)
      .then(choose, (cause: unknown) => showError(failureMessage(cause, address)))
      .finally(() => (isBusy = false));
  });
  return form;
}

function failureMessage(error: unknown, address: string): string {
  if (!(error instanceof CallFailure && error.code === 'sign_in.way_unknown'))
    return describeFailure(error).message;
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return t`This site does not know where people of ${domain} sign in. Choose below.`;
}

function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.className = className;
  return element;
}
