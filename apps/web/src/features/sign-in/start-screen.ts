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

/** Says why the application cannot start, and offers to try again. */
export function showStartFailure(sentence: string): void {
  const line = document.querySelector('main.login .login-status');
  if (!line) return;
  line.closest('main')?.classList.add('login-failed');
  line.setAttribute('role', 'alert');
  line.textContent = sentence;
  const again = document.createElement('button');
  again.type = 'button';
  again.className = 'button button-primary button-medium';
  again.textContent = t`Try again`;
  again.addEventListener('click', () => window.location.reload());
  line.after(again);
}
