/**
 * The choice of a way on the login screen: a button for each, and a field that finds the way by the domain of an address. Loaded where
 * there is something to choose.
 */
import { t } from '@lingui/core/macro';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { emailMaximumLength } from '@vestibule/contract/rules/limits';
import { CallFailure, describeFailure } from '../../../language/call-failure.ts';
import { markOf } from '../../../ui/marks/mark-of.ts';
import '../fields.css';
import type { ChosenWay } from '../auth-client.ts';
import { pause } from '../start-screen.ts';

/** Gives what was chosen. */
export function offerWays({
  sentence,
  ways,
  find,
}: {
  sentence: string;
  ways: readonly SignInMethod[];
  /** Asks the server whose address it is; throws a CallFailure where it does not know. Null where it knows no domain. */
  find: ((address: string) => Promise<ChosenWay>) | null;
}): Promise<ChosenWay> {
  return new Promise((resolve) => {
    const choose = (chosen: ChosenWay) => {
      document.querySelector('main.login')?.classList.remove('login-paused');
      for (const part of document.querySelectorAll('main.login .login-ways')) part.remove();
      resolve(chosen);
    };
    pause(
      sentence,
      ways.map((way) => ({
        label: t`Continue with ${way.name}`,
        mark: letterMark(way),
        goOn: () => choose({ way }),
      })),
    );
    if (find) document.querySelector('main.login .login-ways')?.before(addressForm(find, choose));
  });
}

function letterMark(way: SignInMethod): HTMLElement {
  const { letter, hue } = markOf(way);
  const mark = make('span', 'letter-mark');
  mark.dataset['letter'] = letter;
  mark.style.setProperty('--hue', hue);
  return mark;
}

function addressForm(
  find: (address: string) => Promise<ChosenWay>,
  choose: (chosen: ChosenWay) => void,
): HTMLElement {
  const form = make('form', 'login-ways');
  form.noValidate = true;
  const label = make('label', 'field');
  const field = make('input', 'field-input');
  Object.assign(field, { type: 'email', autocomplete: 'username', maxLength: emailMaximumLength });
  const name = make('span', 'field-label');
  name.textContent = t`E-mail address`;
  label.append(name, field);
  const trouble = make('div', 'field-error');
  trouble.role = 'alert';
  trouble.id = 'address-trouble';
  field.setAttribute('aria-describedby', trouble.id);
  const button = make('button', 'button button-secondary button-medium');
  button.textContent = t`Continue`;
  form.append(label, trouble, button);
  const complain = (sentence: string) => {
    trouble.textContent = sentence;
    field.toggleAttribute('aria-invalid', sentence !== '');
    if (sentence) field.focus();
  };
  let busy = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (busy) return;
    const address = field.value.trim();
    if (!/.@./.test(address)) return complain(t`Type your e-mail address, such as ann@example.com.`);
    busy = true;
    complain('');
    find(address)
      .then(choose, (error: unknown) => complain(whyNot(error, address)))
      .finally(() => (busy = false));
  });
  return form;
}

function whyNot(error: unknown, address: string): string {
  if (!(error instanceof CallFailure && error.code === 'sign_in.way_unknown'))
    return describeFailure(error).message;
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return t`This site does not know where people of ${domain} sign in. Choose below.`;
}

function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.className = className;
  return element;
}
