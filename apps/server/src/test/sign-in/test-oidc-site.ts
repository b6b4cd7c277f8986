/** The application with two OpenID Providers, `acme` and `other`, on a running clock. */
import { beforeEach } from 'vitest';
import { closeAfterTests } from '../test-close.ts';
import { createTestApp, type TestApp } from '../test-app.ts';
import { sessionCookie } from '../../features/auth/sessions/sessions.ts';
import { createTestBrowser, type TestBrowser } from './test-browser.ts';
import {
  clientId,
  clientSecret,
  startTestOidcProvider,
  type TestOidcProvider,
} from './test-oidc-provider.ts';

export type TestOidcSite = Awaited<ReturnType<typeof createTestOidcSite>>;

export const homePath = '/layout/dashboard';

export const oidcPublicUrl = 'https://portal.example.com';

export const providerEnvironment = (methodId: string, provider: { issuer: string }) => ({
  [`OIDC_${methodId.toUpperCase()}_ISSUER`]: provider.issuer,
  [`OIDC_${methodId.toUpperCase()}_CLIENT_ID`]: clientId,
  [`OIDC_${methodId.toUpperCase()}_CLIENT_SECRET`]: clientSecret,
});

export async function createTestOidcSite(
  options: { environment?: Record<string, string>; app?: Parameters<typeof createTestApp>[0] } = {},
) {
  const acme = await startTestOidcProvider({ way: 'acme', publicUrl: oidcPublicUrl });
  const other = await startTestOidcProvider({ way: 'other', publicUrl: oidcPublicUrl });
  const environment = {
    OIDC_PROVIDERS: 'acme,other',
    SIGN_IN_WITH: 'oidc,b2c',
    ...providerEnvironment('acme', acme),
    ...providerEnvironment('other', other),
    ...options.environment,
  };
  const t = await createTestApp({ clock: runningClock(), ...options.app, environment });
  let people = 0;

  /** Returns the path; for the login screen, the error code or the kind of the outcome that it shows. */
  async function resultOf(browser: TestBrowser, path: string): Promise<string> {
    if (!path.startsWith('/login')) return path;
    const outcome = await browser.outcome(path);
    return outcome.kind === 'problem' ? outcome.code : outcome.kind;
  }

  return {
    t,
    acme,
    other,
    browser: (userAgent?: string) => createTestBrowser(t, userAgent),
    /** Starts another server process of the site. Close it before the site. */
    startProcess: (changes: Record<string, string> = {}) =>
      createTestApp({ sharedWith: t, environment: { ...environment, ...changes } }),
    newAddress: () => `person-${(people += 1)}@example.com`,
    async join(
      role: 'member' | 'admin' = 'member',
      more: { provider?: TestOidcProvider; way?: string } = {},
    ) {
      const email = `person-${(people += 1)}@example.com`;
      const sub = `sub of ${email}`;
      const { code } = await t.invitationTo(email, { role });
      (more.provider ?? acme).setNextAccount(sub, { email, email_verified: true, name: 'Ann' });
      const browser = createTestBrowser(t);
      const end = await browser.signIn({ way: more.way ?? 'acme', invitation: code });
      if (end !== homePath) throw new Error(JSON.stringify(await browser.outcome(end)));
      const personId = await t.scalar<string>`select id from people where email = ${email}`;
      return { id: personId, email, sub, browser };
    },
    resultOf,
    /** Runs `act` as on a site without a mail server. */
    async withoutMail<T>(act: () => Promise<T>): Promise<T> {
      const { sends } = t.mail;
      Object.defineProperty(t.mail, 'sends', { value: false, configurable: true });
      return act().finally(() => Object.defineProperty(t.mail, 'sends', { value: sends }));
    },
    /** Signs in; returns the result, with a note if a session exists despite an error. */
    async tryToSignIn(
      body: Parameters<TestBrowser['signIn']>[0] = { way: 'acme' },
      browser = createTestBrowser(t),
    ): Promise<string> {
      const end = await resultOf(browser, await browser.signIn(body));
      return end !== homePath && browser.cookies.has(sessionCookie) ? `${end}, with a session` : end;
    },
    async close() {
      await t.close();
      await acme.close();
      await other.close();
    },
  };
}

/** Creates a site for all tests of the file. The providers' responses are reset before each test. */
export async function setUpOidcSite(options: Parameters<typeof createTestOidcSite>[0] = {}) {
  const site = closeAfterTests(await createTestOidcSite(options));
  beforeEach(() => {
    for (const { next } of [site.acme, site.other])
      Object.assign(next, { error: null, rewrite: null, instead: null });
  });
  return site;
}

/** Follows the real time, because the providers' clock cannot be set. */
export function runningClock(): TestApp['clock'] {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    advance: (milliseconds) => {
      ahead += milliseconds;
    },
  };
}
