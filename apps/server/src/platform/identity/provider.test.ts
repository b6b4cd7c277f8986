/** Signing keys of a provider that is reachable, unreachable and reachable again, and tokens with unknown keys (security 3, 8). */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getMe } from '@vestibule/contract/profile/me';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { afterEach, expect, test } from 'vitest';
import {
  accessTokenClaims,
  createTestApp,
  mintToken,
  providerJwk,
  testIssuer,
  type TestApp,
} from '../../test/test-app.ts';
import { connectProvider } from './provider.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A provider on a real port that counts how often its keys are fetched and can be switched off. */
async function startProvider() {
  const state = { keys: [providerJwk] as JWK[], up: true, keyFetches: 0, metadataFetches: 0, url: '' };
  const server = createServer((request, response) => {
    // A reused connection could be closed by the server while a request is sent, which would not be counted.
    response.setHeader('connection', 'close');
    if (request.url === '/keys') state.keyFetches += 1;
    else state.metadataFetches += 1;
    if (!state.up) {
      response.writeHead(500).end();
      return;
    }
    response.end(
      JSON.stringify(
        request.url === '/keys'
          ? { keys: state.keys }
          : { issuer: testIssuer, jwks_uri: `${state.url}/keys` },
      ),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => server.close());
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

async function startApp(metadataUrl: string): Promise<TestApp> {
  let now = () => 0;
  const t = await createTestApp({ provider: connectProvider(metadataUrl, () => now()) });
  now = t.clock.now;
  closing.push(() => t.close());
  return t;
}

test('1,000 tokens with unknown keys cause one fetch in five seconds, also while the provider is down', async () => {
  const provider = await startProvider();
  const t = await startApp(`${provider.url}/metadata`);
  const { token } = await t.join('ann@example.com');
  expect(provider.keyFetches).toBe(1);

  const { privateKey } = await generateKeyPair('RS256');
  const claims = accessTokenClaims(t.clock.now(), { sub: 'x', exp: t.clock.now() / 1000 + 86_400 });
  const foreign = await Promise.all(
    Array.from({ length: 1000 }, (_, index) => mintToken(claims, { kid: `unknown-${index}` }, privateKey)),
  );
  // Sends the calls in waves: the provider runs in this process too, and requests to it have a time limit.
  const flood = async () => {
    const statuses = new Set<number>();
    for (let wave = 0; wave < foreign.length; wave += 50) {
      const responses = foreign.slice(wave, wave + 50).map((one) => t.call(getMe, { token: one }));
      for (const { status } of await Promise.all(responses)) statuses.add(status);
    }
    return statuses;
  };

  expect(await flood()).toEqual(new Set([401]));
  expect(provider.keyFetches).toBe(1);
  t.clock.advance(5_000);
  expect(await flood()).toEqual(new Set([401]));
  expect(provider.keyFetches).toBe(2);
  provider.up = false;
  t.clock.advance(5_000);
  expect(await flood()).toEqual(new Set([401]));
  expect(provider.metadataFetches).toBe(3);
  expect((await t.call(getMe, { token })).status).toBe(200);
});

test('tokens that are signed with new keys of the provider are accepted, also if it replaces its key twice within a minute', async () => {
  const provider = await startProvider();
  const t = await startApp(`${provider.url}/metadata`);
  const ann = await t.join('ann@example.com');
  for (const kid of ['provider-2', 'provider-3']) {
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    provider.keys = [{ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }];
    t.clock.advance(5_000);
    const claims = accessTokenClaims(t.clock.now(), { sub: ann.subject });
    const responses = await Promise.all(
      Array.from({ length: 10 }, async () =>
        t.call(getMe, { token: await mintToken(claims, { kid }, privateKey) }),
      ),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  }
});

test('a token that is signed with a key that the provider has removed is refused', async () => {
  const provider = await startProvider();
  const t = await startApp(`${provider.url}/metadata`);
  const { subject } = await t.join('ann@example.com');
  provider.keys = [];
  t.clock.advance(10 * 60_000);
  // The first call starts a fetch in the background and still uses the cached key.
  await t.call(getMe, { token: await t.mint({ sub: subject }) });
  await expect.poll(() => provider.keyFetches).toBe(2);
  await expect
    .poll(async () => (await t.call(getMe, { token: await t.mint({ sub: subject, jti: 'new' }) })).status)
    .toBe(401);
});

test('users keep their access while the provider is down, also with new tokens', async () => {
  const provider = await startProvider();
  const t = await startApp(`${provider.url}/metadata`);
  const { subject } = await t.join('ann@example.com');
  provider.up = false;
  t.clock.advance(11 * 60_000);
  expect((await t.call(getMe, { token: await t.mint({ sub: subject }) })).status).toBe(200);
});

test('a call returns 503 until the provider is reached for the first time, and the fetch is retried', async () => {
  const provider = await startProvider();
  const t = await startApp(`${provider.url}/metadata`);
  provider.up = false;
  const token = await t.mint({ sub: 'x', emails: ['x@example.com'] });
  const response = await t.call(getMe, { token });
  expect(response).toMatchObject({ status: 503, body: { code: 'sign_in.provider_unreachable' } });
  provider.up = true;
  expect((await t.call(getMe, { token })).status).toBe(503);
  t.clock.advance(1_000);
  expect((await t.call(getMe, { token })).body.code).toBe('person.not_invited');
});

test('a call returns 503 if the metadata address is unreachable or does not return metadata', async () => {
  const provider = await startProvider();
  const unreachable = await startApp('http://127.0.0.1:9/metadata');
  const token = await unreachable.mint({ sub: 'x' });
  expect((await unreachable.call(getMe, { token })).status).toBe(503);
  const keysOnly = await startApp(`${provider.url}/keys`);
  expect((await keysOnly.call(getMe, { token: await keysOnly.mint({ sub: 'x' }) })).status).toBe(503);
});
