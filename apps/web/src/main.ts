/** Startup in the order of statements B1 to B3. React and the router are loaded on demand: redirects to the provider need neither. */
import { t } from '@lingui/core/macro';
import type { B2cConfiguration, Configuration } from '@vestibule/contract/configuration';
import { prepareAddress } from './features/auth/address-parameters.ts';
import { isB2cOnly, type AuthClient } from './features/auth/auth-client.ts';
import { bootstrap } from './features/auth/bootstrap.ts';
import { storeLanguage, storeTheme } from './features/auth/storage/preferences.ts';
import { isSignedInPath, saveUrl } from './features/auth/storage/return-url.ts';
import { createSession } from './features/auth/session.ts';
import { showBrand, showSiteAccent, showStartFailure } from './features/auth/start-screen.ts';
import { isStorageWritable, takeStored } from './features/auth/storage/storage.ts';
import { loadServerTexts, loadTexts, startLanguage } from './language/language.ts';
import { fetchConfiguration } from './lib/call.ts';
import { navigationType } from './lib/page-return.ts';
import { readAccent, readThemeChoice } from './lib/choice-cookie.ts';
import { startThemeSwitch } from './ui/themes/theme-switch.ts';

// A frame without an opener only forwards the provider's response (B1).
if (window.parent !== window && !window.opener) {
  void import('./features/auth/frame.ts').then(({ forwardFrameResponse }) => forwardFrameResponse());
} else {
  startLanguage(storeLanguage);
  startThemeSwitch({ initial: readThemeChoice(), onChange: storeTheme });
  showSiteAccent(readAccent());
  if (isStorageWritable()) {
    start().catch((error: unknown) => {
      console.error(error);
      showStartFailure(
        t`The site could not be loaded. Check your connection and try again. If the problem persists, the site may be down for maintenance.`,
      );
    });
  } else {
    showStartFailure(
      t`This browser does not let this site store data, so you cannot sign in. Allow cookies and site data for this site, leave private mode, or free up space. Then try again.`,
    );
  }
}

async function start(): Promise<void> {
  const invitation = prepareAddress();
  // Preloads while the server responds.
  if (isSignedInPath(window.location.pathname)) import('./application.tsx').catch(() => {});
  const isHistoryNavigation = takeStored('isBack') === true || navigationType() === 'back_forward';
  const configuration = await fetchConfiguration();
  if (configuration.IsDemonstration || configuration.PrivacyUrl || configuration.ImprintUrl)
    void import('./features/auth/page-foot.ts').then(({ showPageFoot }) => showPageFoot(configuration));
  showBrand(configuration.ProductName, configuration.LogoUrl);
  showSiteAccent(configuration.AccentColor);
  const authClient = await createAuthClient(configuration);
  const session = createSession({
    configuration,
    authClient,
    redirect: await authClient.handleRedirect(),
    invitation,
    isHistoryNavigation,
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

/** Loads the code of a sign-in method only where that method is configured. */
async function createAuthClient(configuration: Configuration): Promise<AuthClient> {
  if (isB2cOnly(configuration)) return createB2cClient(configuration);
  const { createSessionAuth } = await import('./features/auth/session-auth.ts');
  return createSessionAuth(configuration, () => createB2cClient(configuration));
}

async function createB2cClient(configuration: Configuration): Promise<AuthClient> {
  const { createProviderClient } = await import('./features/auth/provider/provider-client.ts');
  // The B2C settings are present if B2C is one of the methods.
  return createProviderClient(configuration as Configuration & B2cConfiguration);
}
