/** E-mailed codes for invited addresses that the provider does not verify (statement M4; security 22, 59, 63). */
import { changeInvitationAddress } from '@vestibule/contract/invitations';
import { resendVerificationCode } from '@vestibule/contract/sign-in';
import { describe, expect, test } from 'vitest';
import { wrongCode } from '../../../test/sign-in/test-browser.ts';
import { setUpOidcSite } from '../../../test/sign-in/test-oidc-site.ts';
import { signInCodeMailName } from '../email-codes/email-codes.ts';

const site = await setUpOidcSite({ environment: { OIDC_ACME_EMAIL: 'ask' } });

/** Starts the sign-in of an invited user, up to the point where the server waits for the e-mailed code. */
async function startVerification(claims: Record<string, unknown> = {}, language?: string) {
  const email = site.newAddress();
  const { id, code } = await site.t.invitationTo(email);
  const sub = `sub of ${email}`;
  site.acme.setNextAccount(sub, { name: 'Ann', ...claims });
  const browser = site.browser();
  if (language !== undefined) browser.cookies.set('language', language);
  const path = await browser.signIn({ way: 'acme', invitation: code, returnTo: '/attachment' });
  return { email, sub, browser, path, attempt: browser.attemptOf(path), invitationId: id };
}
const queued = (attempt: string) =>
  site.t.select`
    select from jobs.job where data->>'template' = ${signInCodeMailName} and data->>'subjectId' = ${attempt}`;
const codeOf = async (attempt: string) => (await site.t.signInCodeOf(attempt)) as string;
async function changeAddress(invitationId: string): Promise<void> {
  const { token } = await site.t.join(site.newAddress(), 'admin');
  const body = { email: site.newAddress() };
  const { status } = await site.t.call(changeInvitationAddress, { token, params: { invitationId }, body });
  expect(status).toBe(200);
}

test('an invited user enters a code if userinfo cannot be read, for example because of a firewall', async () => {
  site.acme.forgeIdToken((claims) => ({ ...claims, email_verified: undefined }));
  site.acme.next.instead = ({ url = '' }, response) =>
    url.startsWith('/me') && response.writeHead(401).end() !== undefined;
  const { email, browser, path, attempt } = await startVerification();
  expect(await browser.outcome(path)).toMatchObject({ kind: 'proof' });
  expect(await browser.enterCode(attempt, await codeOf(attempt))).toBe('/attachment');
  expect(await browser.whoAmI()).toBe(email);
});

test.each<[string, Record<string, unknown>]>([
  ['names no address', {}],
  ['does not verify the address', { email: 'ann@elsewhere.example', email_verified: false }],
  ['verifies another address', { email: 'ann@elsewhere.example', email_verified: true }],
])(
  'if the provider %s, an invited user signs in by entering a code mailed to the invited address',
  async (_what, claims) => {
    const { email, sub, browser, path, attempt } = await startVerification(claims);
    expect(path).toMatch(/^\/login\?sign-in=proof&attempt=[\w-]{43}$/);
    expect(await browser.outcome(path)).toMatchObject({
      kind: 'proof',
      way: { id: 'acme' },
      maskedEmail: `p••@example.com`,
    });
    expect(await queued(attempt)).toHaveLength(1);
    const mail = await site.t.signInMailOf(attempt);
    expect(mail?.to.address).toBe(email);
    const code = await codeOf(attempt);
    expect(mail?.text).toContain(code);
    expect(await browser.whoAmI()).toBe('sign_in.needed');
    expect(await browser.enterCode(attempt, wrongCode(code))).toBe('sign_in.code_wrong');
    const ends = await Promise.all([1, 2].map(() => browser.enterCode(attempt, code)));
    expect(ends.toSorted()).toEqual(['/attachment', 'sign_in.expired']);
    expect(await browser.whoAmI()).toBe(email);
    // Later sign-ins need no code.
    const again = site.browser();
    site.acme.next.sub = sub;
    expect(await again.signIn({ way: 'acme' })).toBe('/layout/dashboard');
    expect(await again.whoAmI()).toBe(email);
  },
);

test('the mail has the language of the page', async () => {
  const { attempt } = await startVerification({}, 'de');
  expect((await site.t.signInMailOf(attempt))?.subject).toContain('ist Ihr Code');
});

test('a code is resent once a minute, also for concurrent requests, and five codes are sent at most', async () => {
  const { browser, attempt } = await startVerification();
  const resend = async () =>
    (await browser.ask('POST', resendVerificationCode.path, { body: { attempt } })).json<{ code?: string }>();
  const advanceMinute = () =>
    site.t.select`
      update sign_in_transactions set proof_mailed_at = proof_mailed_at - interval '60 seconds'
      where state_hash = ${Buffer.from(attempt, 'base64url')}`;
  await advanceMinute();
  const responses = await Promise.all(Array.from({ length: 5 }, resend));
  expect(responses.filter(({ code }) => code === undefined)).toEqual([{ resendInSeconds: 60 }]);
  expect(await queued(attempt)).toHaveLength(2);
  for (const resendInSeconds of [60, 60, null]) {
    await advanceMinute();
    expect(await resend()).toEqual({ resendInSeconds });
  }
  await advanceMinute();
  const last = await browser.ask('POST', resendVerificationCode.path, { body: { attempt } });
  expect(last.json()).toMatchObject({ code: 'sign_in.codes_mailed' });
  expect(last.headers).not.toHaveProperty('retry-after');
  expect(await queued(attempt)).toHaveLength(5);
});

test('guesses for one invitation are limited per day across browsers and sign-ins (security 63)', async () => {
  const email = site.newAddress();
  const { code: link } = await site.t.invitationTo(email);
  site.acme.setNextAccount('a guesser', {});
  let guesses = 0;
  for (let sign = 0; sign < 3; sign += 1) {
    const browser = site.browser();
    const attempt = browser.attemptOf(await browser.signIn({ way: 'acme', invitation: link }));
    const code = await codeOf(attempt);
    for (let index = 0; index < 5; index += 1)
      if ((await browser.enterCode(attempt, wrongCode(code))) === 'sign_in.code_wrong') guesses += 1;
  }
  expect(guesses).toBe(9);
  expect(guesses / 1_000_000).toBeLessThan(1 / 100_000);
});

test.each<[string, (invitationId: string) => Promise<unknown>]>([
  [
    'for a revoked invitation',
    (id) => site.t.select`update invitations set status = 'revoked', revoked_at = now() where id = ${id}`,
  ],
  ['that was mailed to a former address of the invitation', changeAddress],
])('a code %s is refused (security 20)', async (_what, change) => {
  const { browser, path, attempt, invitationId } = await startVerification();
  const code = await codeOf(attempt);
  await change(invitationId);
  expect(await browser.enterCode(attempt, code)).toBe('sign_in.expired');
  expect(await browser.outcome(path)).toMatchObject({ kind: 'problem', code: 'sign_in.expired' });
  expect(await site.t.signInMailOf(attempt)).toBeNull();
});

test('a callback after the invitation’s address changed does not reveal the new address', async () => {
  const { id, code } = await site.t.invitationTo(site.newAddress());
  site.acme.setNextAccount('another account', { email: 'ann@elsewhere.example', email_verified: true });
  const browser = site.browser();
  const url = await browser.start({ way: 'acme', invitation: code });
  await changeAddress(id);
  const path = await browser.finish(url);
  expect(await browser.outcome(path)).toMatchObject({ kind: 'problem', code: 'sign_in.expired' });
  expect(await site.t.signInMailOf(browser.attemptOf(path))).toBeNull();
});

test('a browser with a wrong cookie value cannot read, enter or resend a code (security 55)', async () => {
  const { browser: theirs, path, attempt } = await startVerification();
  expect(await theirs.outcome(path)).toMatchObject({ kind: 'proof' });
  const browser = site.browser();
  for (const name of theirs.cookies.keys()) browser.cookies.set(name, 'A'.repeat(43));
  expect(await browser.outcome(path)).toMatchObject({ code: 'sign_in.expired' });
  expect(await browser.enterCode(attempt, '000000')).toBe('sign_in.expired');
  const resent = await browser.ask('POST', resendVerificationCode.path, { body: { attempt } });
  expect(resent.json()).toMatchObject({ code: 'sign_in.expired' });
});

describe('the default setting', () => {
  const begin = async (claims: Record<string, unknown>, role: 'member' | 'admin' = 'member') => {
    const email = site.newAddress();
    const { code: invitation } = await site.t.invitationTo(email, { role });
    site.other.setNextAccount(`sub of ${email}`, { name: 'Ann', ...claims });
    const browser = site.browser();
    const path = await browser.signIn({ way: 'other', invitation });
    return { email, invitation, browser, path, outcome: await browser.outcome(path) };
  };

  test.each<[string, Record<string, unknown>]>([
    ['no address', {}],
    ['an address without email_verified', { email: 'ann@elsewhere.example' }],
    ['an unverified address', { email: 'ann@elsewhere.example', email_verified: false }],
  ])('an invited administrator whose account has %s signs in with a mailed code', async (_title, claims) => {
    const { email, browser, path, outcome } = await begin(claims, 'admin');
    expect(outcome).toMatchObject({ kind: 'proof' });
    expect(await browser.whoAmI()).toBe('sign_in.needed');
    const attempt = browser.attemptOf(path);
    expect((await site.t.signInMailOf(attempt))?.to.address).toBe(email);
    expect(await browser.enterCode(attempt, await codeOf(attempt))).toBe('/layout/dashboard');
    expect(await browser.whoAmI()).toBe(email);
  });

  test('an account with another verified address is refused, and no code is mailed', async () => {
    const { browser, path, outcome } = await begin({ email: 'ann@elsewhere.example', email_verified: true });
    expect(outcome).toMatchObject({ kind: 'problem', code: 'sign_in.wrong_account' });
    expect(await queued(browser.attemptOf(path))).toEqual([]);
    expect(await browser.whoAmI()).toBe('sign_in.needed');
  });
});
