import { SignJWT, UnsecuredJWT, decodeJwt, generateKeyPair } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  anna,
  authorizeRequest,
  openTestTenant,
  redeemCode,
  refresh,
  startHintIssuer,
  type TestTenant,
} from '../test/test-tenant.ts';

const policy = 'b2c_1a_signup';
const strong = { displayName: 'Zoe L.', newPassword: 'Violet-Glass-7', reenterPassword: 'Violet-Glass-7' };

let tenant: TestTenant;
let issuer: Awaited<ReturnType<typeof startHintIssuer>>;

beforeEach(async () => {
  issuer = await startHintIssuer(() => tenant.clock.now);
  tenant = await openTestTenant({ hintIssuer: issuer.config });
});
afterEach(async () => {
  await tenant.close();
  await issuer.close();
});

async function openSignUp(hint: string, parameters: Record<string, string> = {}) {
  const browser = tenant.browser();
  const { url, verifier } = authorizeRequest(policy, { id_token_hint: hint, ...parameters });
  return { browser, verifier, page: await browser.get(url) };
}

describe('sign-up with a hint (L2, D4)', () => {
  test('creates an account whose tokens contain the invitation', async () => {
    const { browser, verifier, page } = await openSignUp(await issuer.sign());
    expect(page.status).toBe(200);
    expect(page.value('email')).toBe('Zoe@example.com');
    expect(page.value('displayName')).toBe('Zoe Lindt');
    for (const id of ['attributeVerification', 'newPassword', 'reenterPassword', 'continue', 'cancel'])
      expect(page.has(id)).toBe(true);

    const back = await browser.submit(page, 'continue', strong);
    expect(back.url).toMatch(/^http:\/\/localhost:3000\/#/);
    expect(back.response.get('state')).toBe('state-1');
    const { body } = await redeemCode(tenant, policy, back, verifier);
    const idToken = decodeJwt(body.id_token!);
    expect(idToken).toMatchObject({
      tfp: 'B2C_1A_SignUp',
      emails: ['Zoe@example.com'],
      name: 'Zoe L.',
      invitationId: 'invitation-1',
      newUser: true,
    });

    const refreshed = await refresh(tenant, policy, body.refresh_token!);
    expect(decodeJwt(refreshed.body.access_token!)).toMatchObject({
      invitationId: 'invitation-1',
      scp: 'access',
    });
  });

  test('keeps the invitation in tokens of later sign-ins, but not newUser', async () => {
    const first = await openSignUp(await issuer.sign());
    await first.browser.submit(first.page, 'continue', strong);

    const browser = tenant.browser();
    const { url, verifier } = authorizeRequest('b2c_1a_signin');
    const page = await browser.get(url);
    const back = await browser.submit(page, 'next', {
      email: 'zoe@EXAMPLE.com',
      password: strong.newPassword,
    });
    const { body } = await redeemCode(tenant, 'b2c_1a_signin', back, verifier);
    const claims = decodeJwt(body.id_token!);
    expect(claims['invitationId']).toBe('invitation-1');
    expect(claims).not.toHaveProperty('newUser');
  });

  test('uses the address of the hint, not of the form (security 47)', async () => {
    const { browser, verifier, page } = await openSignUp(await issuer.sign());
    expect(page.html).toMatch(/id="email"[^>]*readonly/);
    const back = await browser.submit(page, 'continue', { ...strong, email: 'mallory@example.com' });
    const { body } = await redeemCode(tenant, policy, back, verifier);
    expect(decodeJwt(body.id_token!)['emails']).toEqual(['Zoe@example.com']);
  });
});

const minuteAgo = () => Math.floor(tenant.clock.now / 1000) - 60;

describe('an invalid hint (security 47)', () => {
  const cases: [string, string, () => Record<string, unknown>][] = [
    ['expired', 'AADB2C90208', () => ({ exp: minuteAgo() })],
    ['for a foreign audience', 'AADB2C90209', () => ({ aud: 'someone-else' })],
    ['from a foreign issuer', 'AADB2C90232', () => ({ iss: 'http://localhost:3000' })],
    ['not yet valid', 'AADB2C90210', () => ({ nbf: minuteAgo() + 120 })],
    ['without an expiry', 'AADB2C90210', () => ({ exp: undefined })],
    ['without a start', 'AADB2C90210', () => ({ nbf: undefined })],
    ['without a subject', 'AADB2C90210', () => ({ sub: undefined })],
    ['without an address', 'AADB2C90210', () => ({ email: undefined })],
    ['with an invalid address', 'AADB2C90210', () => ({ email: 'a@b@c' })],
  ];
  test.each(cases)('%s is rejected with %s', async (_, code, claims) => {
    const { page } = await openSignUp(await issuer.sign(claims()));
    expect(page.url).toMatch(/^http:\/\/localhost:3000\/#/);
    expect(page.response.get('error')).toBe('invalid_request');
    expect(page.response.get('error_description')).toMatch(new RegExp(`^${code}: `));
    expect(page.response.get('state')).toBe('state-1');
  });

  test('is rejected with AADB2C90233 if it is signed with another key', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const { page } = await openSignUp(await issuer.sign({}, privateKey));
    expect(page.response.get('error_description')).toMatch(/^AADB2C90233: /);
  });

  test('is rejected with AADB2C90210 if it is unsigned, signed with HS256 or RS512, or not a token', async () => {
    const claims = decodeJwt(await issuer.sign());
    const hmac = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'key-1' })
      .sign(new TextEncoder().encode('x'.repeat(32)));
    const otherHash = await issuer.sign({}, undefined, 'RS512');
    for (const hint of [new UnsecuredJWT(claims).encode(), hmac, otherHash, 'garbage', 'a.b.c']) {
      const { page } = await openSignUp(hint);
      expect(page.response.get('error_description')).toMatch(/^AADB2C90210: /);
    }
  });

  test('is rejected after a sign-up with its invitation, as are other hints of that invitation', async () => {
    const { browser, page } = await openSignUp(await issuer.sign());
    await browser.submit(page, 'continue', strong);
    for (const hint of [
      await issuer.sign(),
      await issuer.sign({ jti: 'hint-2' }),
      await issuer.sign({ sub: 'other' }),
    ]) {
      const again = await openSignUp(hint);
      expect(again.page.response.get('error_description')).toMatch(/^AADB2C90210: /);
    }
  });

  test('gets an error page instead of a redirect if it is missing', async () => {
    const { url } = authorizeRequest(policy);
    const page = await tenant.browser().get(url);
    expect(page.status).toBe(400);
    expect(page.html).toContain('AADB2C90272');
    expect(page.html).toContain('Open the link in your invitation email.');
  });
});

describe('the keys of the hint issuer', () => {
  test('are refetched for an unknown key id', async () => {
    await openSignUp(await issuer.sign());
    issuer.rotate();
    tenant.passSeconds(2);
    const { page } = await openSignUp(await issuer.sign());
    expect(page.value('email')).toBe('Zoe@example.com');
  });

  test('cause a server error and a log line if they cannot be fetched', async () => {
    issuer.setDown(true);
    const { page } = await openSignUp(await issuer.sign());
    expect(page.response.get('error')).toBe('server_error');
    expect(tenant.logLines[0]).toMatch(
      /^an id_token_hint could not be checked: .*\/metadata could not be fetched/,
    );
    issuer.setDown(false);
    const again = await openSignUp(await issuer.sign());
    expect(again.page.value('email')).toBe('Zoe@example.com');
  });
});

describe('the sign-up form', () => {
  test('returns AADB2C90091 on cancel', async () => {
    const { browser, page } = await openSignUp(await issuer.sign());
    const back = await browser.submit(page, 'cancel');
    expect(back.response.get('error')).toBe('access_denied');
    expect(back.response.get('error_description')).toMatch(
      /^AADB2C90091: The user has cancelled entering self-asserted information\.\r\nCorrelation ID: [0-9a-f-]{36}\r\nTimestamp: 2026-03-01 12:00:00Z\r\n$/,
    );
  });

  const wrong: [string, Record<string, string>, string][] = [
    ['no name', { displayName: '  ' }, 'displayName'],
    ['a name of 101 characters', { displayName: 'x'.repeat(101) }, 'displayName'],
    ['a short password', { newPassword: 'Aa1!', reenterPassword: 'Aa1!' }, 'newPassword'],
    ['a password of 65 characters', { newPassword: `Aa1${'x'.repeat(62)}` }, 'newPassword'],
    ['two different passwords', { reenterPassword: 'Violet-Glass-8' }, 'reenterPassword'],
  ];
  test.each(wrong)('shows a field error for %s', async (_, values, field) => {
    const { browser, page } = await openSignUp(await issuer.sign());
    const again = await browser.submit(page, 'continue', { ...strong, ...values });
    expect(again.status).toBe(400);
    expect(again.html).toContain(`id="${field}-problem"`);
    expect(again.html).toMatch(
      new RegExp(
        `id="${field}"[^>]*aria-describedby="${field}-problem[^>]*aria-invalid="true"[^>]*autofocus`,
      ),
    );
    expect(again.alerts).toHaveLength(1);
    expect(again.html).toContain('<title>Error: ');
  });

  test('shows an error if the address already has an account', async () => {
    const { browser, page } = await openSignUp(await issuer.sign({ email: anna.email.toLowerCase() }));
    const again = await browser.submit(page, 'continue', strong);
    expect(again.status).toBe(409);
    expect(again.value('displayName')).toBe(strong.displayName);
    expect(again.alerts[0]).toContain('An account already exists for this email address.');
  });

  test('distinguishes addresses with a Kelvin sign from those with a k', async () => {
    const { browser, page } = await openSignUp(await issuer.sign({ email: 'KARL@example.com' }));
    expect((await browser.submit(page, 'continue', strong)).response.has('code')).toBe(true);
    const other = await openSignUp(
      await issuer.sign({ sub: 'invitation-2', jti: 'hint-2', email: '\u212Aarl@example.com' }),
    );
    expect((await other.browser.submit(other.page, 'continue', strong)).response.has('code')).toBe(true);
  });

  test('escapes markup in names', async () => {
    const { page } = await openSignUp(await issuer.sign({ name: '"><script>alert(1)</script>' }));
    expect(page.value('displayName')).toBe('"><script>alert(1)</script>');
    expect(page.html).not.toContain('<script>alert');
  });
});
