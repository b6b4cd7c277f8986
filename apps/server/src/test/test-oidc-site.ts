/** The application with two OpenID Providers, `acme` and `other`, on a clock that goes. */
import { createTestApp, type TestApp } from './test-app.ts';
import { sessionCookie } from '../features/sign-in/sessions/sessions.ts';
import { createTestBrowser, type TestBrowser } from './test-browser.ts';
import {
  clientId,
  clientSecret,
  startTestOidcProvider,
  type TestOidcProvider,
} from './test-oidc-provider.ts';

export type TestOidcSite = Awaited<ReturnType<typeof createTestOidcSite>>;

/** Where a sign-in ends that went well. */
export const home = '/layout/dashboard';

export const oidcPublicUrl = 'https://portal.example.com';

/** Variables of a way. */
export const wayEnvironment = (way: string, provider: { issuer: string }) => ({
  [`OIDC_${way.toUpperCase()}_ISSUER`]: provider.issuer,
  [`OIDC_${way.toUpperCase()}_CLIENT_ID`]: clientId,
  [`OIDC_${way.toUpperCase()}_CLIENT_SECRET`]: clientSecret,
});

export async function createTestOidcSite(
  options: { environment?: Record<string, string>; app?: Parameters<typeof createTestApp>[0] } = {},
) {
  const acme = await startTestOidcProvider({ way: 'acme', publicUrl: oidcPublicUrl });
  const other = await startTestOidcProvider({ way: 'other', publicUrl: oidcPublicUrl });
  const t = await createTestApp({
    clock: goingClock(),
    ...options.app,
    environment: {
      OIDC_PROVIDERS: 'acme,other',
      SIGN_IN_WITH: 'oidc,b2c',
      ...wayEnvironment('acme', acme),
      ...wayEnvironment('other', other),
      ...options.environment,
    },
  });
  let people = 0;

  /** What a path means: itself, or the code of the problem behind it. */
  async function meaning(browser: TestBrowser, path: string): Promise<string> {
    if (!path.startsWith('/login')) return path;
    const outcome = await browser.outcome(path);
    return outcome.kind === 'problem' ? outcome.code : outcome.kind;
  }

  return {
    t,
    acme,
    other,
    browser: (userAgent?: string) => createTestBrowser(t, userAgent),
    newAddress: () => `person-${(people += 1)}@example.com`,
    /** Somebody who is invited, has an account at `acme`, and is inside by it. */
    async join(
      role: 'member' | 'admin' = 'member',
      more: { provider?: TestOidcProvider; way?: string } = {},
    ) {
      const email = `person-${(people += 1)}@example.com`;
      const sub = `sub of ${email}`;
      const { code } = await t.invitationTo(email, { role });
      (more.provider ?? acme).isNext(sub, { email, email_verified: true, name: 'Ann' });
      const browser = createTestBrowser(t);
      const end = await browser.signIn({ way: more.way ?? 'acme', invitation: code });
      if (end !== home) throw new Error(JSON.stringify(await browser.outcome(end)));
      const [person] = await t.select<{ id: string }>('select id from people where email = $1', [email]);
      return { id: person?.id as string, email, sub, browser };
    },
    meaning,
    /** Signs in with a fresh browser; gives what it ends with, or that something is open although it failed. */
    async tryToSignIn(): Promise<string> {
      const browser = createTestBrowser(t);
      const end = await meaning(browser, await browser.signIn({ way: 'acme' }));
      return end !== home && browser.cookies.has(sessionCookie) ? `${end}, and inside` : end;
    },
    async close() {
      await t.close();
      await acme.close();
      await other.close();
    },
  };
}

/** The providers' own clock cannot be set, so the application's goes along; a test may be ahead of it. */
export function goingClock(): TestApp['clock'] {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    advance: (milliseconds) => {
      ahead += milliseconds;
    },
  };
}
