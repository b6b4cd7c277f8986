/** Client authentication with a private key (private_key_jwt; OpenID Connect Core, section 9; statement M2). */
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exportJWK } from 'jose';
import { afterAll, expect, test } from 'vitest';
import { createTestApp } from '../../../test/test-app.ts';
import { createTestBrowser } from '../../../test/sign-in/test-browser.ts';
import { clientId, startTestOidcProvider } from '../../../test/sign-in/test-oidc-provider.ts';
import {
  homePath,
  oidcPublicUrl,
  providerEnvironment,
  runningClock,
} from '../../../test/sign-in/test-oidc-site.ts';

const directory = await mkdtemp(path.join(tmpdir(), 'vestibule-keys-'));
afterAll(() => rm(directory, { recursive: true }));

const kinds = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
};

/** Signs in an invited user with key `siteKey` at a provider that has key `known`. Returns the signed-in address, or the problem's code. */
async function signIn(
  algorithm: keyof typeof kinds,
  siteKey: KeyObject,
  known: KeyObject,
  id: { siteKey?: string; known?: string } = {},
): Promise<string> {
  const file = path.join(directory, `${algorithm}.pem`);
  await writeFile(file, siteKey.export({ type: 'pkcs8', format: 'pem' }));
  const provider = await startTestOidcProvider({
    way: 'acme',
    publicUrl: oidcPublicUrl,
    extra: {
      clients: [
        {
          client_id: clientId,
          token_endpoint_auth_method: 'private_key_jwt',
          token_endpoint_auth_signing_alg: algorithm,
          jwks: {
            keys: [
              {
                ...(await exportJWK(createPublicKey(known))),
                use: 'sig',
                ...(id.known && { kid: id.known }),
              },
            ],
          },
          grant_types: ['authorization_code', 'refresh_token'],
          redirect_uris: [`${oidcPublicUrl}/auth/acme/callback`],
        },
      ],
      clientAuthMethods: ['private_key_jwt'],
    },
  });
  const t = await createTestApp({
    clock: runningClock(),
    environment: {
      OIDC_PROVIDERS: 'acme',
      ...providerEnvironment('acme', provider),
      OIDC_ACME_CLIENT_SECRET: '',
      OIDC_ACME_PRIVATE_KEY_FILE: file,
      ...(id.siteKey && { OIDC_ACME_PRIVATE_KEY_ID: id.siteKey }),
    },
  });
  const { code, email } = await t.invitationTo('ann@example.com');
  provider.setNextAccount('ann', { email, email_verified: true });
  const browser = createTestBrowser(t);
  const end = await browser.signIn({ way: 'acme', invitation: code });
  const outcome = await browser.outcome(end);
  const who = await browser.whoAmI();
  await t.close();
  await provider.close();
  if (end === homePath) return who;
  return outcome.kind === 'problem' ? outcome.code : outcome.kind;
}

test.each(Object.keys(kinds) as (keyof typeof kinds)[])(
  'an invited user signs in through a provider that verifies a private key (%s)',
  async (algorithm) => {
    const key = kinds[algorithm]();
    expect(await signIn(algorithm, key, key)).toBe('ann@example.com');
  },
);

test('the assertion contains the configured key id', async () => {
  const key = kinds.RS256();
  expect(await signIn('RS256', key, key, { siteKey: 'k1', known: 'k1' })).toBe('ann@example.com');
  expect(await signIn('RS256', key, key, { siteKey: 'k2', known: 'k1' })).toBe('sign_in.provider_setup');
});
