/** Creates secrets of pending sign-ins and of an OpenID Provider. Part of test-secret-kinds.ts. */
import { requestCode } from '@vestibule/contract/sign-in/codes';
import { askForPasskey, startFirstPasskey } from '@vestibule/contract/sign-in/passkeys';
import { verifyEmail } from '@vestibule/contract/sign-in';
import type { CreationOptions, RequestOptions } from '@vestibule/contract/sign-in/web-authn';
import { signInCodeMailName } from '../../features/auth/email-codes/email-codes.ts';
import { createLogoutTokens } from '../../features/auth/oidc/test-logout-token.ts';
import { createTestAuthenticator } from '../test-authenticator.ts';
import { createTestBrowser, type TestBrowser } from '../test-browser.ts';
import type { TestSite } from './test-site.ts';

/** Pending sign-in of a browser, with its secret. */
type UnderWay = {
  browser: TestBrowser;
  attempt: string;
  /** Code from the mail. */
  code: string;
  key: string;
};

/** Non-secret data of the newest secret. */
export type UnderWaySite = TestSite & {
  people: number;
  signIn: UnderWay;
  first: { browser: TestBrowser; attempt: string; options: CreationOptions };
  asked: { browser: TestBrowser; options: RequestOptions };
  visit: { browser: TestBrowser; back: URL };
};

const newAddress = (site: UnderWaySite) => `under-way-${(site.people += 1)}@example.com`;

/** Requests a code, with an open invitation. */
export async function beginSignIn(site: UnderWaySite): Promise<UnderWay> {
  const { t } = site;
  const { code: invitation } = await t.invitationTo(newAddress(site));
  const browser = createTestBrowser(t);
  const { attempt } = (
    await browser.ask('POST', requestCode.path, { body: { invitation } })
  ).json<UnderWay>();
  const mail = await t.mailTemplates[signInCodeMailName]?.write(attempt);
  const [, code = '', key = ''] = /#(\d{6})(\S+)/.exec(mail?.text ?? '') ?? [];
  return { browser, attempt, code, key };
}

/** Enters a code; a passkey is then required. */
async function proveSignIn(site: UnderWaySite): Promise<UnderWay> {
  const { t } = site;
  const underWay = await beginSignIn(site);
  const { browser, attempt, code } = underWay;
  await t.select(
    `insert into settings (name, value, version, changed_at, changed_by) values ('passkeyRequired', '"everybody"', 1, now(), 'a test')`,
  );
  t.settings.forget();
  await browser.ask('POST', verifyEmail.path, { body: { attempt, code } });
  await t.select(`delete from settings where name = 'passkeyRequired'`);
  t.settings.forget();
  return underWay;
}

/** Starts to create the first passkey. */
export async function beginFirst(site: UnderWaySite): Promise<UnderWaySite['first']> {
  const { code: invitation } = await site.t.invitationTo(newAddress(site));
  const browser = createTestBrowser(site.t);
  const answer = await browser.ask('POST', startFirstPasskey.path, { body: { invitation } });
  return { browser, ...answer.json<{ attempt: string; options: CreationOptions }>() };
}

/** Starts a sign-in with a passkey. */
export async function beginWithPasskey({ t }: UnderWaySite): Promise<UnderWaySite['asked']> {
  const browser = createTestBrowser(t);
  return { browser, options: (await browser.ask('POST', askForPasskey.path, { body: {} })).json() };
}

/** Starts a sign-in of a user with an account at the provider. */
export async function visitAcme({ t, acme }: UnderWaySite): Promise<UnderWaySite['visit']> {
  acme.isNext(acmeSubject, { email: acmeAddress, email_verified: true, name: 'Ann' });
  const browser = createTestBrowser(t);
  const back = await browser.visitProvider(await browser.start({ way: 'acme' }));
  return { browser, back: new URL(back, t.config.publicUrl) };
}

const acmeAddress = 'ann@acme.example.com';
const acmeSubject = 'ann at acme';

/** Signs a user in through the provider; returns the id, and a device with another user's passkey. */
export async function comeInBothWays(site: UnderWaySite) {
  const { t } = site;
  const { code: invitation } = await t.invitationTo(acmeAddress);
  site.acme.isNext(acmeSubject, { email: acmeAddress, email_verified: true, name: 'Ann' });
  await createTestBrowser(t).signIn({ way: 'acme', invitation });
  const [ann] = await t.select<{ id: string }>('select id from people where email = $1', [acmeAddress]);
  const { id } = ann as { id: string };
  const device = createTestAuthenticator({ origin: t.config.publicUrl });
  const { browser, attempt, options } = await beginFirst(site);
  const response = device.create(options);
  await browser.ask('POST', '/api/sign-in/new-passkey', { body: { attempt, response } });
  return { id, device };
}

/** Creates a new secret of each kind. */
export const underWayKinds = {
  'code of a sign-in': async (site) => (site.signIn = await beginSignIn(site)).code,
  'key of the link in a mail': async (site) => (site.signIn = await beginSignIn(site)).key,
  'attempt of a sign-in': async (site) => (site.signIn = await beginSignIn(site)).attempt,
  'attempt of a sign-in that needs a passkey': async (site) =>
    (site.signIn = await proveSignIn(site)).attempt,
  'cookie of a sign-in': async (site) => {
    site.signIn = await beginSignIn(site);
    return [...site.signIn.browser.cookies].find(([name]) =>
      name.endsWith(site.signIn.attempt),
    )?.[1] as string;
  },
  'attempt of a first passkey': async (site) => (site.first = await beginFirst(site)).attempt,
  'challenge of a first passkey': async (site) => (site.first = await beginFirst(site)).options.challenge,
  'challenge of a passkey': async (site) => (site.asked = await beginWithPasskey(site)).options.challenge,
  'state of a sign-in': async (site) =>
    (site.visit = await visitAcme(site)).back.searchParams.get('state') as string,
  'authorization code of an OpenID Provider': async (site) =>
    (site.visit = await visitAcme(site)).back.searchParams.get('code') as string,
  'id token of an OpenID Provider': async (site) => {
    site.visit = await visitAcme(site);
    const nonce = site.acme.next.seen.at(-1)?.params['nonce'];
    const { sign, claimsOf } = createLogoutTokens(() => site);
    return sign(claimsOf({ sub: acmeSubject, nonce, events: undefined }), { typ: 'JWT' });
  },
  'logout token': (site) => {
    const { sign, claimsOf } = createLogoutTokens(() => site);
    return sign(claimsOf({ sub: acmeSubject }));
  },
} satisfies Record<string, (site: UnderWaySite) => Promise<string>>;
