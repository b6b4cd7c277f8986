import { getInviteToken } from '@vestibule/contract/invitations/link';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestApp, testEnvironment, testSecret, type TestApp } from '../../../test/test-app.ts';
import { createSigningKeys } from './signing-keys.ts';

const day = 24 * 60 * 60_000;
const issuer = `${testEnvironment.PUBLIC_URL}/`;

let t: TestApp;
beforeEach(async () => {
  t = await createTestApp();
});
afterEach(() => t.close());

async function issue(app: TestApp = t): Promise<string> {
  const { code } = await t.invitationTo(`ann-${t.clock.now()}-${Math.random()}@example.com`);
  return (await app.call(getInviteToken, { body: { code } })).body.Data as string;
}

async function publishedKeys(app: TestApp = t): Promise<JSONWebKeySet> {
  return (await app.app.inject('/.well-known/jwks.json')).json<JSONWebKeySet>();
}

/** Verifies as the provider does: signature, issuer, audience, times. */
function verify(token: string, keys: JSONWebKeySet) {
  return jwtVerify(token, createLocalJWKSet(keys), {
    issuer,
    audience: testEnvironment.CLIENT_ID,
    currentDate: new Date(t.clock.now()),
  });
}

describe('an invite token', () => {
  test('contains invitation, address and issuer, and expires after ten minutes', async () => {
    const { id, code } = await t.invitationTo('ann@example.com');
    const token = (await t.call(getInviteToken, { body: { code } })).body.Data as string;
    const seconds = Math.floor(t.clock.now() / 1000);
    const { payload, protectedHeader } = await verify(token, await publishedKeys());
    expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'JWT' });
    expect(payload).toEqual({
      iss: issuer,
      aud: testEnvironment.CLIENT_ID,
      sub: id,
      email: 'ann@example.com',
      iat: seconds,
      nbf: seconds,
      exp: seconds + 600,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    t.clock.advance(600_000);
    await expect(verify(token, await publishedKeys())).rejects.toThrow('"exp"');
  });
});

test('the metadata contains issuer and keys as specified by OpenID Connect Discovery', async () => {
  const response = await t.app.inject('/.well-known/openid-configuration');
  expect(response.json()).toMatchObject({
    issuer,
    jwks_uri: `${testEnvironment.PUBLIC_URL}/.well-known/jwks.json`,
    id_token_signing_alg_values_supported: ['RS256'],
  });
  expect(response.headers['cache-control']).toBe('public, max-age=300');
});

describe('the signing keys', () => {
  test('are published without their private half', async () => {
    const { keys } = await publishedKeys();
    expect(keys).toEqual([
      {
        kty: 'RSA',
        kid: expect.any(String),
        alg: 'RS256',
        use: 'sig',
        n: expect.stringMatching(/^[\w-]{342}$/),
        e: 'AQAB',
      },
    ]);
  });

  test('are stored encrypted and cannot be decrypted with another secret', async () => {
    const [row] = await t.select<{ text: string; sealed: Buffer }>(
      'select signing_keys::text as text, sealed_private_key as sealed from signing_keys',
    );
    expect(row?.text).not.toMatch(/"[dpq]"/);
    expect(row?.sealed.toString('latin1')).not.toContain('RSA');
    const stranger = createSigningKeys(
      t.database,
      Buffer.from('another secret of 32 characters ...'),
      t.clock.now,
    );
    await expect(stranger.current()).rejects.toThrow();
    expect((await createSigningKeys(t.database, testSecret, t.clock.now).current()).kid).toBe(
      (await publishedKeys()).keys[0]?.kid,
    );
  });

  test('rotate without invalidating a token before its expiry', async () => {
    const second = await createTestApp({ sharedWith: t });
    const signers = new Set<string | undefined>();
    let mostPublished = 0;
    // Keys cached by the provider, and tokens that have not expired.
    let cached = await publishedKeys();
    let live: { token: string; until: number }[] = [];
    try {
      // Key changes on days 90 and 180, without the days long before and after them. The second process rotates every third day.
      const days = [88, 89, 90, 91, 92, 178, 179, 180, 181, 182, 183];
      for (const [index, today] of days.entries()) {
        t.clock.advance((today - (days[index - 1] ?? 0)) * day);
        await t.signingKeys.rotate();
        if (today % 3 === 0) await second.signingKeys.rotate();
        live = live.filter(({ until }) => until > t.clock.now());
        for (const app of [t, second]) {
          const token = await issue(app);
          signers.add(decodeProtectedHeader(token).kid);
          live.push({ token, until: t.clock.now() + 600_000 });
          // The cached keys are a day old.
          await verify(token, cached);
        }
        for (const app of [t, second]) {
          const keys = await publishedKeys(app);
          mostPublished = Math.max(mostPublished, keys.keys.length);
          for (const { token } of live) await verify(token, keys);
          cached = keys;
        }
      }
      expect(signers.size).toBe(3);
      expect(mostPublished).toBe(2);
      expect((await publishedKeys()).keys.length).toBeLessThanOrEqual(2);
    } finally {
      await second.close();
    }
  });

  test('verify a token that was signed just before its key was replaced', async () => {
    t.clock.advance(89 * day);
    await t.signingKeys.rotate();
    const at = await t.scalar<Date>`select max(signs_from) as at from signing_keys`;
    t.clock.advance(at.getTime() - 60_000 - t.clock.now());
    const token = await issue(t);
    t.clock.advance(120_000);
    await t.signingKeys.rotate();
    expect(decodeProtectedHeader(await issue(t)).kid).not.toBe(decodeProtectedHeader(token).kid);
    await verify(token, await publishedKeys());
  });

  test('are created once by server processes that start together', async () => {
    const apps = await Promise.all([1, 2, 3].map(() => createTestApp({ sharedWith: t })));
    expect(await t.select('select from signing_keys')).toHaveLength(1);
    await Promise.all(apps.map((app) => app.close()));
  });
});
