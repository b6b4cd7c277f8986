import { requestCode } from '@vestibule/contract/sign-in/codes';
import { askForPasskey, startFirstPasskey } from '@vestibule/contract/sign-in/passkeys';
import { verifyEmail } from '@vestibule/contract/sign-in';
import type { CreationOptions, RequestOptions } from '@vestibule/contract/sign-in/web-authn';
import { signInCodeMailName } from '../../features/auth/email-codes/email-codes.ts';
import { createLogoutTokens } from '../../features/auth/oidc/test-logout-token.ts';
import { createTestAuthenticator } from '../sign-in/test-authenticator.ts';
import { createTestBrowser, type TestBrowser } from '../sign-in/test-browser.ts';
import type { TestSite } from './test-site.ts';

type PendingSignIn = {
  browser: TestBrowser;
  attempt: string;
  code: string;
  key: string;
};

export type PendingSite = TestSite & {
  people: number;
  signIn: PendingSignIn;
  first: { browser: TestBrowser; attempt: string; options: CreationOptions };
  passkeyRequest: { browser: TestBrowser; options: RequestOptions };
  visit: { browser: TestBrowser; back: URL };
};

const newAddress = (site: PendingSite) => `pending-${(site.people += 1)}@example.com`;

export async function requestSignInCode(site: PendingSite): Promise<PendingSignIn> {
  const { t } = site;
  const { code: invitation } = await t.invitationTo(newAddress(site));
  const browser = createTestBrowser(t);
  const { attempt } = (
    await browser.ask('POST', requestCode.path, { body: { invitation } })
  ).json<PendingSignIn>();
  const mail = await t.mailTemplates[signInCodeMailName]?.write(attempt);
  const [, code = '', key = ''] = /#(\d{6})(\S+)/.exec(mail?.text ?? '') ?? [];
  return { browser, attempt, code, key };
}

async function enterSignInCode(site: PendingSite): Promise<PendingSignIn> {
  const { t } = site;
  const pending = await requestSignInCode(site);
  const { browser, attempt, code } = pending;
  await t.select(
    `insert into settings (name, value, version, changed_at, changed_by) values ('passkeyRequired', '"everybody"', 1, now(), 'a test')`,
  );
  t.settings.invalidate();
  await browser.ask('POST', verifyEmail.path, { body: { attempt, code } });
  await t.select(`delete from settings where name = 'passkeyRequired'`);
  t.settings.invalidate();
  return pending;
}

export async function prepareFirstPasskey(site: PendingSite): Promise<PendingSite['first']> {
  const { code: invitation } = await site.t.invitationTo(newAddress(site));
  const browser = createTestBrowser(site.t);
  const response = await browser.ask('POST', startFirstPasskey.path, { body: { invitation } });
  return { browser, ...response.json<{ attempt: string; options: CreationOptions }>() };
}

export async function preparePasskeySignIn({ t }: PendingSite): Promise<PendingSite['passkeyRequest']> {
  const browser = createTestBrowser(t);
  return { browser, options: (await browser.ask('POST', askForPasskey.path, { body: {} })).json() };
}

export async function visitAcme({ t, acme }: PendingSite): Promise<PendingSite['visit']> {
  acme.setNextAccount(acmeSubject, { email: acmeAddress, email_verified: true, name: 'Ann' });
  const browser = createTestBrowser(t);
  const back = await browser.visitProvider(await browser.start({ way: 'acme' }));
  return { browser, back: new URL(back, t.config.publicUrl) };
}

const acmeAddress = 'ann@acme.example.com';
const acmeSubject = 'ann at acme';

/** Signs in one user through the provider and another by a passkey. Returns the first one's id and the second one's device. */
export async function signInBothUsers(site: PendingSite) {
  const { t } = site;
  const { code: invitation } = await t.invitationTo(acmeAddress);
  site.acme.setNextAccount(acmeSubject, { email: acmeAddress, email_verified: true, name: 'Ann' });
  await createTestBrowser(t).signIn({ way: 'acme', invitation });
  const [ann] = await t.select<{ id: string }>`select id from people where email = ${acmeAddress}`;
  const { id } = ann as { id: string };
  const device = createTestAuthenticator({ origin: t.config.publicUrl });
  const { browser, attempt, options } = await prepareFirstPasskey(site);
  const response = device.create(options);
  await browser.ask('POST', '/api/sign-in/new-passkey', { body: { attempt, response } });
  return { id, device };
}

export const pendingKinds = {
  'code of a sign-in': async (site) => (site.signIn = await requestSignInCode(site)).code,
  'key of the link in a mail': async (site) => (site.signIn = await requestSignInCode(site)).key,
  'attempt of a sign-in': async (site) => (site.signIn = await requestSignInCode(site)).attempt,
  'attempt of a sign-in that needs a passkey': async (site) =>
    (site.signIn = await enterSignInCode(site)).attempt,
  'cookie of a sign-in': async (site) => {
    site.signIn = await requestSignInCode(site);
    return [...site.signIn.browser.cookies].find(([name]) =>
      name.endsWith(site.signIn.attempt),
    )?.[1] as string;
  },
  'attempt of a first passkey': async (site) => (site.first = await prepareFirstPasskey(site)).attempt,
  'challenge of a first passkey': async (site) =>
    (site.first = await prepareFirstPasskey(site)).options.challenge,
  'challenge of a passkey': async (site) =>
    (site.passkeyRequest = await preparePasskeySignIn(site)).options.challenge,
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
} satisfies Record<string, (site: PendingSite) => Promise<string>>;
