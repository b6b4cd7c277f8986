/** The login screen of a site with passkeys, without React: a panel for passkeys and codes, and a button for each other method. */
import { t } from '@lingui/core/macro';
import type { Configuration, SignInMethod } from '@vestibule/contract/configuration';
import { stopConditionalUi } from '../../../lib/sign-in/passkeys.ts';
import type { ChosenSignInMethod } from '../auth-client.ts';
import { readSavedUrl } from '../storage/return-url.ts';
import { storeLastSignInMethod, readLastSignInMethod } from '../storage/cross-tab.ts';
import { showLoginStatus } from '../start-screen.ts';
import { takeNextSignIn, type NextSignIn } from '../storage/storage.ts';
import { createButton, createElement } from './elements.ts';
import { createFlow } from './flow-context.ts';
import { showSignIn } from './sign-in-step.ts';

/**
 * Resolves with the method that the user chooses instead of a passkey or code. After a sign-in in the panel, the page is left and the
 * promise never settles.
 */
export function showLoginPanel(
  { SupportEmail }: Configuration,
  methods: readonly SignInMethod[],
  next: NextSignIn,
): Promise<ChosenSignInMethod> {
  const screen = document.querySelector('main.login');
  const container = createElement('div', 'login-panel');
  screen?.classList.add('login-paused');
  screen?.querySelector('.login-status')?.after(container);
  let isSignedIn = false;
  return new Promise((resolve) => {
    const choose = (method: SignInMethod) => {
      stopConditionalUi();
      container.remove();
      screen?.classList.remove('login-paused');
      resolve({ method });
    };
    const flow = createFlow({
      container,
      setStatus: showLoginStatus,
      returnTo: readSavedUrl(),
      supportEmail: SupportEmail,
      onSignedIn(returnTo) {
        // The button and the field's conditional UI may both succeed.
        if (isSignedIn) return;
        isSignedIn = true;
        for (const { id, kind } of methods) if (kind === 'passkeys') storeLastSignInMethod(id);
        takeNextSignIn();
        window.location.replace(returnTo);
      },
    });
    const last = readLastSignInMethod();
    const createButtons = (isLast: boolean) =>
      methods
        .filter(({ id, kind }) => kind !== 'passkeys' && (id === last) === isLast)
        .map((method) =>
          createButton(t`Continue with ${method.name}`, isLast ? 'primary' : 'secondary', () =>
            choose(method),
          ),
        );
    showSignIn(flow, {
      sentence: next.afresh ? t`You are signed out.` : t`Please sign in.`,
      address: next.address ?? '',
      before: createButtons(true),
      after: createButtons(false),
    });
  });
}
