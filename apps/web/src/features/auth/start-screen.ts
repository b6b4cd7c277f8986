/** Updates the static login screen, which is shown before any script runs, and shows the site's name, logo and accent color. */
import { t } from '@lingui/core/macro';
import { storeAccent } from '../../lib/choice-cookie.ts';
import { readStored } from './storage/storage.ts';

export function showLoginStatus(status: string): void {
  const line = document.querySelector('main.login .login-status');
  if (line) line.textContent = status;
}

export function showBrand(productName: string, logo: string | null): void {
  document.title = productName;
  const heading = document.querySelector('main.login h1');
  if (heading) heading.textContent = productName;
  const mark = document.querySelector('main.login .brand-mark');
  if (!logo || !mark) return;
  const picture = new Image();
  picture.className = 'login-logo';
  picture.alt = '';
  // The mark remains until the logo is loaded.
  picture.addEventListener('load', () => mark.replaceWith(picture));
  picture.src = logo;
}

/** Offers to sign in, or to continue with the invitation, after a return from the provider. */
export function offerSignIn(): void {
  showChoices(t`You have not signed in yet.`, [
    { label: t`Continue`, onSelect: () => window.location.assign(readStored('invitationLeft') ?? '/') },
  ]);
  document.querySelector<HTMLElement>('main.login .button')?.focus();
}

export function showStartFailure(sentence: string): void {
  document.querySelector('main.login .login-status')?.setAttribute('role', 'alert');
  showChoices(sentence, [{ label: t`Try again`, onSelect: () => window.location.reload() }]);
}

/** Shows a sentence and buttons; the first one is primary. */
export function showChoices(
  sentence: string,
  choices: { label: string; mark?: Element; onSelect: () => void }[],
): void {
  const line = document.querySelector('main.login .login-status');
  if (!line) return;
  line.closest('main')?.classList.add('login-paused');
  line.textContent = sentence;
  const buttons = document.createElement('div');
  buttons.className = 'login-ways';
  for (const { label, mark = '', onSelect } of choices) {
    const button = document.createElement('button');
    button.className = `button button-${buttons.firstChild ? 'secondary' : 'primary'} button-medium`;
    button.append(mark, label);
    button.addEventListener('click', onSelect);
    buttons.append(button);
  }
  line.after(buttons);
}

let removeAccent = () => {};

/** Applies a color such as `#0b6653` and stores it for the next first paint; null restores the theme's own. */
export function showSiteAccent(color: string | null): void {
  removeAccent();
  storeAccent(color);
  // Offline the theme's own color stays.
  if (color !== null) loadAccent(color).catch(() => {});
}

async function loadAccent(color: string): Promise<void> {
  let isCurrent = true;
  removeAccent = () => (isCurrent = false);
  // Loaded on demand: it would be a tenth of the login screen's code.
  const { showAccent } = await import('./site-accent.ts');
  if (isCurrent) removeAccent = showAccent(color);
}
