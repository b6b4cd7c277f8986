import {
  getSignInOutcome,
  verifyEmail,
  resendVerificationCode,
  startSignIn,
} from '@vestibule/contract/sign-in';
import {
  startFirstPasskey,
  createFirstPasskey,
  signInWithPasskey,
} from '@vestibule/contract/sign-in/passkeys';
import type { RouteDefinition } from '@vestibule/contract/route';
import { createLogoutTokens } from '../../features/auth/oidc/test-logout-token.ts';
import { sessionCookie } from '../../features/auth/sessions/sessions.ts';
import { createTestAuthenticator, type TestAuthenticator } from '../sign-in/test-authenticator.ts';
import { createTestBrowser, type TestBrowser } from '../sign-in/test-browser.ts';
import type { Consumer, SecretSite } from './test-secret-kinds.ts';
import { createTestSession } from '../sign-in/test-session.ts';
import {
  prepareFirstPasskey,
  requestSignInCode,
  preparePasskeySignIn,
  signInBothUsers,
  visitAcme,
} from './test-pending-kinds.ts';

export const keyOf = ({ method, path }: RouteDefinition) => `${method} ${path}`;
const ask = (browser: TestBrowser, route: RouteDefinition, body: object) =>
  browser.ask('POST', route.path, { body });

/** Signs in one user through the provider and one by a passkey. */
export async function pendingConsumers(site: SecretSite): Promise<Consumer[]> {
  const ann = await signInBothUsers(site);
  return [
    ...codeConsumers(site),
    ...passkeyConsumers(site, ann.device),
    ...(await providerConsumers(site, ann.id)),
  ];
}

/** Adds the cookies of the newest secrets, so that only the secret itself can be wrong. */
async function withNewestCookies<Started extends { browser: TestBrowser }>(
  { signIn, first, passkeyRequest, visit }: Partial<SecretSite>,
  started: Started | Promise<Started>,
): Promise<Started> {
  const { cookies } = (await started).browser;
  for (const newest of [signIn, first, passkeyRequest, visit])
    for (const [name, value] of newest?.browser.cookies ?? [])
      if (name !== sessionCookie && !cookies.has(name)) cookies.set(name, value);
  return started;
}

function codeConsumers(site: SecretSite): Consumer[] {
  /** Returns the sign-in to which the secret belongs, or an unrelated sign-in. */
  const signIn = (belongs: boolean) =>
    belongs ? site.signIn : withNewestCookies(site, requestSignInCode(site));
  const hasOutcome = async (browser: TestBrowser, attempt: string) =>
    ['proof', 'proven'].includes(
      (await browser.outcome(`/login?attempt=${encodeURIComponent(attempt)}`)).kind,
    );
  return [
    {
      route: keyOf(getSignInOutcome),
      accepts: ['attempt of a sign-in', 'attempt of a sign-in that needs a passkey'],
      opens: async (attempt, belongs) => hasOutcome((await signIn(belongs)).browser, attempt),
    },
    {
      route: keyOf(getSignInOutcome),
      accepts: [],
      opens: (attempt) => hasOutcome(createTestBrowser(site.t), attempt),
    },
    {
      route: keyOf(getSignInOutcome),
      accepts: ['cookie of a sign-in'],
      async opens(cookie, belongs) {
        const { attempt } = await signIn(belongs);
        const browser = createTestBrowser(site.t);
        browser.cookies.set(`__Host-vestibule-in-${attempt}`, cookie);
        return hasOutcome(browser, attempt);
      },
    },
    {
      route: keyOf(resendVerificationCode),
      accepts: ['attempt of a sign-in'],
      async opens(attempt, belongs) {
        const response = await ask((await signIn(belongs)).browser, resendVerificationCode, { attempt });
        return response.json<{ code: string }>().code === 'request.too_many';
      },
    },
    // Must run before verifyEmail, which ends the sign-in.
    {
      route: keyOf(startFirstPasskey),
      accepts: ['attempt of a sign-in that needs a passkey'],
      opens: async (attempt, belongs) =>
        (await ask((await signIn(belongs)).browser, startFirstPasskey, { attempt })).statusCode === 200,
    },
    ...(['attempt of a sign-in', 'code of a sign-in', 'key of the link in a mail'] as const).map(
      (kind): Consumer => ({
        route: keyOf(verifyEmail),
        accepts: [kind],
        async opens(secret, belongs) {
          const { browser, attempt, code } = await signIn(belongs);
          const wrong = code === '000000' ? '111111' : '000000';
          const { statusCode } = await ask(
            browser,
            verifyEmail,
            {
              'attempt of a sign-in': { attempt: secret, code },
              'code of a sign-in': { attempt, code: secret },
              'key of the link in a mail': { attempt, code: wrong, key: secret },
            }[kind],
          );
          return statusCode === 200 && browser.cookies.has(sessionCookie);
        },
      }),
    ),
  ];
}

function passkeyConsumers(site: SecretSite, device: TestAuthenticator): Consumer[] {
  const first = (belongs: boolean) =>
    belongs ? site.first : withNewestCookies(site, prepareFirstPasskey(site));
  const newDevice = () => createTestAuthenticator({ origin: site.t.config.publicUrl });
  return [
    {
      route: keyOf(createFirstPasskey),
      accepts: ['attempt of a first passkey'],
      async opens(attempt, belongs) {
        const { browser, options } = await first(belongs);
        const response = newDevice().create(options);
        return (await ask(browser, createFirstPasskey, { attempt, response })).statusCode === 200;
      },
    },
    {
      route: keyOf(createFirstPasskey),
      accepts: ['challenge of a first passkey'],
      async opens(challenge, belongs) {
        const { browser, attempt, options } = await first(belongs);
        const response = newDevice().create(options, { challenge });
        return (await ask(browser, createFirstPasskey, { attempt, response })).statusCode === 200;
      },
    },
    {
      route: keyOf(signInWithPasskey),
      accepts: ['challenge of a passkey'],
      async opens(challenge, belongs) {
        const { browser, options } = await (belongs
          ? site.passkeyRequest
          : withNewestCookies(site, preparePasskeySignIn(site)));
        const response = device.get(options, { challenge });
        return (await ask(browser, signInWithPasskey, { response })).statusCode === 200;
      },
    },
  ];
}

async function providerConsumers(site: SecretSite, personId: string): Promise<Consumer[]> {
  const { t } = site;
  const unrelated = await visitAcme(site);
  /** Requests the callback of the provider with one parameter replaced. Returns whether a session was created. */
  async function signsInWith(name: 'state' | 'code', secret: string, { browser, back }: SecretSite['visit']) {
    const address = new URL(back);
    address.searchParams.set(name, secret);
    await browser.ask('GET', address.pathname + address.search);
    return browser.cookies.has(sessionCookie);
  }
  return [
    {
      route: keyOf(startSignIn),
      accepts: ['short code'],
      async opens(invitation) {
        const response = await ask(createTestBrowser(t), startSignIn, { way: 'acme', invitation });
        return (
          response.statusCode === 200 &&
          new URL(response.json<{ url: string }>().url).searchParams.has('login_hint')
        );
      },
    },
    {
      route: 'GET /auth/:way/callback',
      accepts: ['state of a sign-in'],
      opens: async (state, belongs) =>
        signsInWith('state', state, belongs ? site.visit : await withNewestCookies(site, unrelated)),
    },
    {
      route: 'GET /auth/:way/callback',
      accepts: ['authorization code of an OpenID Provider'],
      opens: async (code, belongs) =>
        signsInWith('code', code, belongs ? site.visit : await withNewestCookies(site, visitAcme(site))),
    },
    {
      // The provider's token endpoint responds with this id token.
      route: 'GET /auth/:way/callback',
      accepts: ['id token of an OpenID Provider'],
      async opens(token, belongs) {
        const { browser, back } = belongs ? site.visit : await withNewestCookies(site, visitAcme(site));
        site.acme.next.rewrite = (path, body) => (path === '/token' ? { ...body, id_token: token } : body);
        await browser.ask('GET', back.pathname + back.search);
        site.acme.next.rewrite = null;
        return browser.cookies.has(sessionCookie);
      },
    },
    {
      route: 'POST /auth/:way/backchannel-logout',
      accepts: ['logout token'],
      async opens(token) {
        const sessions = async () =>
          (await t.select`select from sessions where person_id = ${personId}`).length;
        await createTestSession(t, { id: personId });
        const before = await sessions();
        const response = await createLogoutTokens(() => site).post(token);
        return response.statusCode === 200 || (await sessions()) < before;
      },
    },
  ];
}
