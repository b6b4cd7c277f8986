import { once } from 'node:events';
import { createServer } from 'node:http';
import { getMe } from '@vestibule/contract/profile/me';
import { checkProvider } from '@vestibule/contract/settings/provider-check';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { closeAfterTests } from '../../test/test-close.ts';
import { createTestApp, providerJwk, testIssuer, type TestApp } from '../../test/test-app.ts';
import {
  respondAsProvider,
  answered,
  failed,
  originOf,
  sendResponse,
  toEnglish,
  remedyOf,
  createCorrectProvider,
  type FakeProvider,
  type Findings,
} from './test-provider.ts';

let fake: FakeProvider;
const provider = createServer((request, response) => respondAsProvider(fake, request, response));
await once(provider.listen(0, '127.0.0.1'), 'listening');
const base = originOf(provider);
/** The site as seen through a proxy. */
const site = createServer((request, response) => void sendResponse(published, request, response));
await once(site.listen(0, '127.0.0.1'), 'listening');
const publicUrl = originOf(site);
afterAll(() => Promise.all([provider, site].map((server) => new Promise((done) => server.close(done)))));
const t = closeAfterTests(await start({}));
const ann = await t.join('ann@example.com', 'admin');
/** The application behind the public address. */
let published = t.app;
beforeEach(async () => {
  fake = createCorrectProvider(() => t.clock.now());
  // Received tokens are reported for an hour, and checks are limited per minute.
  t.clock.advance(61 * 60_000);
  ann.token = await t.mint({ sub: ann.subject, auth_time: Math.floor(t.clock.now() / 1000) });
  await t.callAs(ann, getMe);
});

function start(environment: Record<string, string>, sharedWith?: TestApp) {
  return createTestApp({
    environment: { AUTH_BASE_URL: base, PUBLIC_URL: publicUrl, ...environment },
    ...(sharedWith && { sharedWith }),
  });
}

async function check(app = t): Promise<Findings> {
  const { status, body } = await app.callAs(ann, checkProvider);
  expect(status).toBe(200);
  return toEnglish(body.findings);
}

/** Runs one check in another process with different variables. */
async function checkWith(environment: Record<string, string>): Promise<Findings> {
  const otherProcess = await start(environment, t);
  try {
    return await check(otherProcess);
  } finally {
    await otherProcess.close();
  }
}

test('a correct provider passes all checks (K5)', async () => {
  const findings = await check();
  expect(Object.entries(findings).map(([name, { outcome }]) => [name, outcome])).toEqual([
    ['Sign-in policy', 'ok'],
    ['Sign-up policy', 'ok'],
    ['Password-reset policy', 'ok'],
    ['Separate policies', 'ok'],
    ['Issuer', 'ok'],
    ['Addresses in the metadata', 'ok'],
    ['Signing keys', 'ok'],
    ['Clock', 'ok'],
    ['Client ID', 'ok'],
    ['Redirect address', 'ok'],
    ['Scopes', 'ok'],
    ['Token audience', 'ok'],
    ['Invitations, as the sign-in service reads them', 'ok'],
  ]);
  for (const { outcome, remedy } of Object.values(findings)) expect(remedy === null).toBe(outcome === 'ok');
  expect(await t.select('select provider_checked_at from onboarding')).toEqual([
    { provider_checked_at: expect.any(Date) },
  ]);
});

test('the addresses to register are reported exactly (K5)', async () => {
  const { body } = await t.callAs(ann, checkProvider);
  expect(body.registrations).toEqual([{ provider: 'Azure AD B2C', use: 'page', address: `${publicUrl}/` }]);
  expect(body.at).toBe(new Date(t.clock.now()).toISOString());
});

test('findings have codes and values for translation (K5)', async () => {
  const { body } = await t.callAs(ann, checkProvider);
  const audience = body.findings.find(({ topic }) => topic.code === 'provider_topic.audience');
  expect(audience?.found).toMatchObject({
    code: 'provider_fact.token',
    values: { time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/), audience: t.config.provider?.audience },
  });
  for (const finding of body.findings)
    for (const text of [finding.topic, finding.found, finding.expected, remedyOf(finding)])
      expect(text?.message ?? '').not.toMatch(/[{}]|undefined/);
});

test('the authorization request of the check cannot produce a usable code (K5)', async () => {
  const requests: URLSearchParams[] = [];
  const { authorize } = fake;
  fake.authorize = (parameters) => {
    requests.push(parameters);
    return authorize(parameters);
  };
  await check();
  expect(requests.map((parameters) => Object.fromEntries(parameters))).toEqual([
    expect.objectContaining({
      client_id: '11111111-2222-4333-8444-555555555555',
      redirect_uri: `${publicUrl}/`,
      prompt: 'none',
      scope: 'openid offline_access https://contoso.onmicrosoft.com/api/access',
      code_challenge_method: 'S256',
    }),
  ]);
});

describe('the provider check reports and explains', () => {
  test.each([
    ['SIGN_IN_POLICY', 'B2C_1A_SIGNIN', 'Sign-in policy'],
    ['RESET_PASSWORD_POLICY', 'B2C_1A_RESET', 'Password-reset policy'],
  ])('an unknown policy in %s (K5)', async (variable, value, name) => {
    fake.metadataStatus = (policy) => (policy === value ? 404 : 200);
    const findings = await checkWith({ [variable]: value });
    expect(findings[name]).toMatchObject(failed(new RegExp(variable), new RegExp(value)));
    const outcomes = Object.entries(findings).filter(([other]) => other.endsWith('policy') && other !== name);
    expect(outcomes.map(([, { outcome }]) => outcome)).toEqual(['ok', 'ok']);
  });

  test('an unknown tenant (K5)', async () => {
    const findings = await checkWith({ TENANT_NAME: 'fabrikam' });
    expect(findings['Sign-in policy']).toMatchObject(failed(/TENANT_NAME/, /fabrikam/));
  });

  test('an address that is unreachable or of a program that is not the provider (K5)', async () => {
    const findings = await checkWith({ AUTH_BASE_URL: 'https://no-such-host.invalid' });
    expect(findings['Sign-in policy']).toMatchObject(failed(/AUTH_BASE_URL/));
    fake.metadata = () => ({ hello: 'world' });
    expect((await check())['Sign-in policy']).toMatchObject(failed(/AUTH_BASE_URL/, /not the metadata/));
    fake.instead = (_, response) => Boolean(response.writeHead(200).end('<html>'));
    expect((await check())['Sign-in policy']).toMatchObject(failed(/AUTH_BASE_URL/, /not JSON/));
    fake.instead = (_, response) => Boolean(response.writeHead(503).end());
    expect((await check())['Sign-in policy']).toMatchObject(failed(/AUTH_BASE_URL/, /status 503/));
  });

  test('one policy for two purposes (K5; security 7)', async () => {
    const reset = await checkWith({ RESET_PASSWORD_POLICY: 'b2c_1a_signin' });
    expect(reset['Separate policies']).toMatchObject(failed(/RESET_PASSWORD_POLICY/));
    const both = await checkWith({ SIGN_UP_POLICY: 'B2C_1A_SignIn' });
    expect(both['Separate policies']).toMatchObject(failed(/SIGN_UP_POLICY/));
  });

  test('policies with different issuers (K5)', async () => {
    const { metadata } = fake;
    fake.metadata = (policy, origin) => ({
      ...metadata(policy, origin),
      issuer: `${origin}/tfp/1234/${policy}/v2.0/`,
    });
    expect((await check())['Issuer']).toMatchObject(
      failed(/token compatibility/, /B2C_1A_SignUp_Invitation: http/),
    );
  });

  test('endpoints on a foreign host, without requesting them (K5)', async () => {
    let requestCount = 0;
    const foreign = createServer((_, response) => {
      requestCount += 1;
      response.end('{}');
    });
    await once(foreign.listen(0, '127.0.0.1'), 'listening');
    const { metadata } = fake;
    fake.metadata = (policy) => metadata(policy, originOf(foreign));
    const findings = await check();
    expect(findings['Addresses in the metadata']).toMatchObject(
      failed(/AUTH_BASE_URL/, /authorization_endpoint/),
    );
    expect(findings).not.toHaveProperty('Signing keys');
    fake.instead = (_, response) =>
      Boolean(response.writeHead(302, { location: `${originOf(foreign)}/secret` }).end());
    expect((await check())['Sign-in policy']).toMatchObject(failed(/./, /status 302/));
    expect(requestCount).toBe(0);
    await new Promise((resolve) => foreign.close(resolve));
  });

  test.each([
    ['no keys', { keys: [] }, /none of them usable/],
    ['a response that is not a key set', { hello: 'world' }, /none of them usable/],
    ['a key for encryption', { keys: [{ ...providerJwk, use: 'enc' }] }, /none of them usable/],
  ])('unusable signing keys: %s (K5)', async (_, keys, found) => {
    fake.keys = keys;
    expect((await check())['Signing keys']).toMatchObject(failed(/TokenSigningKeyContainer/, found));
  });

  test.each([
    [9, 'ok', /9 s ahead/],
    [30, 'warning', /30 s ahead/],
    [-3600, 'failed', /3600 s behind/],
  ])('a clock difference of %i s as %s (K5)', async (seconds, outcome, found) => {
    fake.date = () => t.clock.now() - seconds * 1000;
    expect((await check())['Clock']).toMatchObject({ outcome, found: expect.stringMatching(found) });
  });

  test('no clock difference for a provider that sends no time (K5)', async () => {
    fake.date = () => Number.NaN;
    expect(await check()).not.toHaveProperty('Clock');
  });

  const page = (text: string) => ({ body: `<html><body><p>${text}</p></body></html>` });
  test.each([
    ['AADB2C90006: The redirect URI is not registered', 'Redirect address', /single-page application/],
    ['AADSTS50011: The redirect URI does not match', 'Redirect address', /single-page application/],
    ["AADB2C90018: The client ID 'x' is not registered in tenant 'y'", 'Client ID', /CLIENT_ID/],
    ['AADSTS700016: Application not found', 'Client ID', /CLIENT_ID/],
  ])('an error page with %s (K5)', async (text, name, remedy) => {
    fake.authorize = () => page(text);
    expect((await check())[name]).toMatchObject(failed(remedy, new RegExp(text.slice(0, 11))));
  });

  test('an unknown scope (K5)', async () => {
    fake.authorize = (parameters) => ({
      location: answered(parameters.get('redirect_uri') ?? '', {
        error: 'invalid_scope',
        error_description: "AADB2C90117: The scope 'x' provided in the request is not supported.",
      }),
    });
    const findings = await check();
    expect(findings['Scopes']).toMatchObject(failed(/API_SCOPES/, /AADB2C90117/));
    expect(findings['Redirect address']?.outcome).toBe('ok');
  });

  test('an unknown response to the authorization request as a warning (K5)', async () => {
    for (const response of [
      page('Welcome'),
      { status: 500 },
      { location: 'https://elsewhere.example/?error=login_required' },
    ]) {
      fake.authorize = () => response;
      expect((await check())['Redirect address']).toMatchObject({
        outcome: 'warning',
        remedy: expect.stringContaining(`${publicUrl}/`),
      });
    }
  });

  test('rejected tokens of another audience or issuer, even if later tokens are accepted (K5)', async () => {
    const token = await t.mint({ sub: 'unknown', aud: 'another-application' });
    expect((await t.call(getMe, { token })).status).toBe(401);
    expect((await check())['Token audience']).toMatchObject({
      outcome: 'warning',
      found: expect.stringContaining('another-application'),
      remedy: expect.stringContaining('API_AUDIENCE'),
    });
    const foreign = await t.mint({ sub: 'unknown', iss: `${testIssuer}x` });
    expect((await t.call(getMe, { token: foreign })).status).toBe(401);
    expect((await check())['Issuer']).toMatchObject({
      outcome: 'warning',
      found: expect.stringContaining(`${testIssuer}x`),
    });
    t.clock.advance(61 * 60_000);
    ann.token = await t.mint({ sub: ann.subject });
    expect((await check())['Issuer']).toMatchObject({ outcome: 'ok' });
  });

  const ours = 'Invitations, as the sign-in service reads them';
  test('a public address that is unreachable, of another program, or differs from the issuer of invite tokens (K5)', async () => {
    expect((await checkWith({ PUBLIC_URL: base }))[ours]).toMatchObject(failed(/PUBLIC_URL/));
    expect((await checkWith({ PUBLIC_URL: 'https://no-such-host.invalid' }))[ours]).toMatchObject(
      failed(/PUBLIC_URL/),
    );
    // The same site under another name, which differs from the issuer of invite tokens.
    const other = publicUrl.replace('127.0.0.1', 'localhost');
    const findings = await checkWith({ PUBLIC_URL: other });
    expect(findings[ours]).toMatchObject(failed(/PUBLIC_URL/, /issuer "http:\/\/127/));
  });

  test('a public address of another installation (K5)', async () => {
    const stranger = await createTestApp({
      environment: { PUBLIC_URL: publicUrl, AUTH_BASE_URL: base },
      secret: Buffer.from('a secret of another site, 32 characters or more'),
    });
    published = stranger.app;
    expect((await check())[ours]).toMatchObject(failed(/DATABASE_URL and SECRET/, /missing/));
    published = t.app;
    await stranger.close();
  });
});

test('a provider that does not respond delays the check only to its time limit (K5)', async () => {
  fake.instead = () => true;
  const startedAt = performance.now();
  const findings = await check();
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(findings['Sign-in policy']).toMatchObject(failed(/AUTH_BASE_URL/, /no response within 4 seconds/));
});

test('the provider check is limited to ten per minute (K5)', async () => {
  const statuses: number[] = [];
  for (let count = 0; count < 11; count += 1) statuses.push((await t.callAs(ann, checkProvider)).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(10);
  expect(statuses.at(-1)).toBe(429);
});
