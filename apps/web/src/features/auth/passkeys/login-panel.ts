/** The login screen of a site with passkeys, before React: what is used here stands in its middle, a button for each other way below. */
import { t } from '@lingui/core/macro';
import type { Configuration, SignInMethod } from '@vestibule/contract/configuration';
import { stopConditionalUi } from '../../../lib/sign-in/passkeys.ts';
import type { ChosenWay } from '../auth-client.ts';
import { readSavedUrl } from '../storage/return-url.ts';
import { keepLastWay, readLastWay } from '../storage/cross-tab.ts';
import { showLoginStatus } from '../start-screen.ts';
import { takeNextSignIn, type NextSignIn } from '../storage/storage.ts';
import { button, element } from './elements.ts';
import { flowIn } from './flow-context.ts';
import { showSignIn } from './sign-in-step.ts';

/** Gives another way, when one is chosen. Whoever gets in here goes on to where they wanted. */
export function signInHere(
  { SupportEmail }: Configuration,
  ways: readonly SignInMethod[],
  next: NextSignIn,
): Promise<ChosenWay> {
  const screen = document.querySelector('main.login');
  const place = element('div', 'login-panel');
  screen?.classList.add('login-paused');
  screen?.querySelector('.login-status')?.after(place);
  let isInside = false;
  return new Promise((resolve) => {
    const leaveBy = (way: SignInMethod) => {
      stopConditionalUi();
      place.remove();
      screen?.classList.remove('login-paused');
      resolve({ way });
    };
    const flow = flowIn({
      place,
      say: showLoginStatus,
      returnTo: readSavedUrl(),
      supportEmail: SupportEmail,
      inside(returnTo) {
        // Whoever presses the button while the field's offer is being answered comes in once.
        if (isInside) return;
        isInside = true;
        for (const { id, kind } of ways) if (kind === 'passkeys') keepLastWay(id);
        takeNextSignIn();
        window.location.replace(returnTo);
      },
    });
    const last = readLastWay();
    const buttons = (isLast: boolean) =>
      ways
        .filter(({ id, kind }) => kind !== 'passkeys' && (id === last) === isLast)
        .map((way) =>
          button(t`Continue with ${way.name}`, isLast ? 'primary' : 'secondary', () => leaveBy(way)),
        );
    showSignIn(flow, {
      sentence: next.afresh ? t`You are signed out.` : t`Please sign in.`,
      address: next.address ?? '',
      before: buttons(true),
      after: buttons(false),
    });
  });
}
