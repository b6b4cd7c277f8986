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
  const mark = document.querySelector('main.login .brand-mark');
  if (!logo || !mark) return;
  const picture = new Image();
  picture.className = 'login-logo';
  picture.alt = '';
  // Not before it is there: an empty place would be worse than the mark.
  picture.addEventListener('load', () => mark.replaceWith(picture));
  picture.src = logo;
}

/** For whoever is back from the provider's page: they sign in when they like, or go on with the invitation that they left there. */
export function offerSignIn(): void {
  pause(t`You have not signed in yet.`, [
    {
      label: t`Continue`,
      goOn: () => window.location.assign(window.sessionStorage.getItem('invitationLeft') ?? '/'),
    },
  ]);
  document.querySelector<HTMLElement>('main.login .button')?.focus();
}

/** Says why the application cannot start, and offers to try again. */
export function showStartFailure(sentence: string): void {
  document.querySelector('main.login .login-status')?.setAttribute('role', 'alert');
  pause(sentence, [{ label: t`Try again`, goOn: () => window.location.reload() }]);
}

/** Nothing goes on by itself any more: a sentence, and the buttons that go on, the likeliest first. */
export function pause(
  sentence: string,
  choices: { label: string; mark?: Element; goOn: () => void }[],
): void {
  const line = document.querySelector('main.login .login-status');
  if (!line) return;
  line.closest('main')?.classList.add('login-paused');
  line.textContent = sentence;
  const buttons = document.createElement('div');
  buttons.className = 'login-ways';
  for (const { label, mark = '', goOn } of choices) {
    const button = document.createElement('button');
    button.className = `button button-${buttons.firstChild ? 'secondary' : 'primary'} button-medium`;
    button.append(mark, label);
    button.addEventListener('click', goOn);
    buttons.append(button);
  }
  line.after(buttons);
}
