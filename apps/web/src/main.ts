/**
 * Start-up, in the order that statements B1 to B3 ask for: frame gate → configuration → the provider's library
 * (its own chunk, fetched meanwhile) → redirect result → router. Everything heavy is imported on demand: who is sent
 * to the provider's page needs neither React nor the router.
 */
import type { B2cConfiguration } from '@vestibule/contract/configuration';
import { t } from '@lingui/core/macro';
import { prepareAddress } from './features/door/address.ts';
import { showDemonstration } from './features/door/demonstration.ts';
import { enter } from './features/door/enter.ts';
import { keepLanguage, keepTheme } from './features/door/preferences.ts';
import { isBehindTheDoor, saveUrl } from './features/door/saved-url.ts';
import { createSession } from './features/door/session.ts';
import { showSiteAccent } from './features/door/site-accent.ts';
import { showBrand, showStartFailure } from './features/door/start-screen.ts';
import { storageWorks, takeBack } from './features/door/storage.ts';
import { loadServerTexts, loadTexts, startLanguage } from './language/language.ts';
import { fetchConfiguration } from './lib/call.ts';
import { wayHere } from './lib/page-return.ts';
import { readAccent, readThemeChoice } from './lib/theme-choice.ts';
import { startThemeSwitch } from './ui/themes/theme-switch.ts';

// In a frame without an opener only the provider's answer is handed to the waiting window (B1).
if (window.parent !== window && !window.opener) {
  void import('./features/door/frame.ts').then(({ answerFrame }) => answerFrame());
} else {
  startLanguage(keepLanguage);
  startThemeSwitch({ initial: readThemeChoice(), onChange: keepTheme });
  showSiteAccent(readAccent());
  if (storageWorks()) {
    start().catch((error: unknown) => {
      console.error(error);
      showStartFailure(
        t`The site could not be loaded. Check your connection and try again; if it stays so, the site is being worked on.`,
      );
    });
  } else {
    showStartFailure(
      t`This browser does not let this site keep anything, so nobody can sign in. Allow cookies and site data for this site, leave private mode, or free some space; then try again.`,
    );
  }
}

async function start(): Promise<void> {
  const invitation = prepareAddress();
  const isBack = takeBack() || wayHere() === 'back_forward';
  const library = import('./features/door/provider/provider-client.ts');
  // A failed import is met where it is awaited, not as an unhandled rejection in between.
  library.catch(() => {});
  const configuration = await fetchConfiguration();
  if (configuration.IsDemonstration) showDemonstration();
  showBrand(configuration.ProductName, configuration.LogoUrl);
  showSiteAccent(configuration.AccentColor);
  const { connectProvider } = await library;
  const client = await connectProvider(configuration as B2cConfiguration);
  const session = createSession({
    configuration,
    client,
    redirect: await client.handleRedirect(),
    invitation,
    isBack,
  });

  const { pathname, search, hash } = window.location;
  if (isBehindTheDoor(pathname) && !session.user()) {
    saveUrl(pathname + search + hash);
    window.history.replaceState(null, '', '/');
  }
  const fromLogin = window.location.pathname === '/';
  if (fromLogin) {
    const next = await enter(session);
    if (next === null) return;
    window.history.replaceState(null, '', next);
  }
  const [{ showApplication }] = await Promise.all([import('./application.tsx'), loadTexts()]);
  loadServerTexts().catch(() => {});
  await showApplication(session, { slide: fromLogin });
}
