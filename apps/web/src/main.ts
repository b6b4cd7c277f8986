/**
 * Start-up, in the order that statements B1 to B3 ask for: frame gate → configuration → the entrance (with B2C its library, a
 * chunk that the page's own answer has had the browser fetch meanwhile) → redirect result → router. Everything heavy is imported on demand: who is sent
 * to the provider's page needs neither React nor the router.
 */
import { t } from '@lingui/core/macro';
import { prepareAddress } from './features/auth/address-parameters.ts';
import { bootstrap } from './features/auth/bootstrap.ts';
import { createAuthClient } from './features/auth/create-auth-client.ts';
import { storeLanguage, storeTheme } from './features/auth/storage/preferences.ts';
import { isSignedInPath, saveUrl } from './features/auth/storage/return-url.ts';
import { createSession } from './features/auth/session.ts';
import { showSiteAccent } from './features/auth/site-accent.ts';
import { showBrand, showStartFailure } from './features/auth/start-screen.ts';
import { storageWorks, takeBack } from './features/auth/storage/storage.ts';
import { loadServerTexts, loadTexts, startLanguage } from './language/language.ts';
import { fetchConfiguration } from './lib/call.ts';
import { navigationType } from './lib/page-return.ts';
import { readAccent, readThemeChoice } from './lib/theme-choice.ts';
import { startThemeSwitch } from './ui/themes/theme-switch.ts';

// In a frame without an opener only the provider's answer is handed to the waiting window (B1).
if (window.parent !== window && !window.opener) {
  void import('./features/auth/frame.ts').then(({ answerFrame }) => answerFrame());
} else {
  startLanguage(storeLanguage);
  startThemeSwitch({ initial: readThemeChoice(), onChange: storeTheme });
  showSiteAccent(readAccent());
  if (storageWorks()) {
    start().catch((error: unknown) => {
      console.error(error);
      showStartFailure(
        t`The site could not be loaded. Check your connection and try again. If the problem persists, the site may be down for maintenance.`,
      );
    });
  } else {
    showStartFailure(
      t`This browser does not let this site store data, so nobody can sign in. Allow cookies and site data for this site, leave private mode, or free up space. Then try again.`,
    );
  }
}

async function start(): Promise<void> {
  const invitation = prepareAddress();
  // It takes a slow processor a while, in which the server answers.
  if (isSignedInPath(window.location.pathname)) import('./application.tsx').catch(() => {});
  const isBack = takeBack() || navigationType() === 'back_forward';
  const configuration = await fetchConfiguration();
  if (configuration.IsDemonstration) (await import('./features/auth/demonstration.ts')).showDemonstration();
  showBrand(configuration.ProductName, configuration.LogoUrl);
  showSiteAccent(configuration.AccentColor);
  const entrance = await createAuthClient(configuration);
  const session = createSession({
    configuration,
    entrance,
    redirect: await entrance.handleRedirect(),
    invitation,
    isBack,
  });

  const { pathname, search, hash } = window.location;
  if (isSignedInPath(pathname) && !session.user()) {
    saveUrl(pathname + search + hash);
    window.history.replaceState(null, '', '/');
  }
  const fromLogin = window.location.pathname === '/';
  if (fromLogin) {
    const next = await bootstrap(session);
    if (next === null) return;
    window.history.replaceState(null, '', next);
  }
  const [{ showApplication }] = await Promise.all([import('./application.tsx'), loadTexts()]);
  loadServerTexts().catch(() => {});
  await showApplication(session, { slide: fromLogin });
}
