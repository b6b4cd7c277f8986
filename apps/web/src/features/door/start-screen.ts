/** The static login screen, which is there before any script: its status line, and what it says when nothing works. */
import { t } from '@lingui/core/macro';

/** Says what is going on. */
export function showLoginStatus(status: string): void {
  const line = document.querySelector('main.login .login-status');
  if (line) line.textContent = status;
}

/** Shows the site's own name and logo, once they are known. */
export function showBrand(productName: string, logo: string | null): void {
  document.title = productName;
  const heading = document.querySelector('main.login h1');
  if (heading) heading.textContent = productName;
  const mark = logo === null ? null : document.querySelector('main.login .brand-mark');
  if (!mark) return;
  const picture = new Image();
  picture.className = 'login-logo';
  picture.alt = '';
  // Not before it is there: an empty place would be worse than the mark.
  picture.addEventListener('load', () => mark.replaceWith(picture));
  picture.src = logo as string;
}

/** For whoever is back from the provider's page: they sign in when they like. */
export function offerSignIn(): void {
  pause(t`You have not signed in yet.`, t`Continue`, () => window.location.assign('/'))?.focus();
}

/** Says why the application cannot start, and offers to try again. */
export function showStartFailure(sentence: string): void {
  document.querySelector('main.login .login-status')?.setAttribute('role', 'alert');
  pause(sentence, t`Try again`, () => window.location.reload());
}

/** Nothing goes on by itself any more: a sentence, and the button that goes on. */
function pause(sentence: string, label: string, goOn: () => void): HTMLElement | null {
  const line = document.querySelector('main.login .login-status');
  if (!line) return null;
  line.closest('main')?.classList.add('login-paused');
  line.textContent = sentence;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button button-primary button-medium';
  button.textContent = label;
  button.addEventListener('click', goOn);
  line.after(button);
  return button;
}
