/** The check of OpenID Providers: each thing that can be wrong is named with the variable that mends it (statement M9). */
import { checkProvider } from '@vestibule/contract/settings/provider-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestApp, type TestPerson } from '../../test/test-app.ts';
import { createTestOidcSite, wayEnvironment, type TestOidcSite } from '../../test/test-oidc-site.ts';

let site: TestOidcSite;
let admin: TestPerson;
beforeAll(async () => {
  site = await createTestOidcSite({ environment: { SIGN_IN_WITH: 'oidc,b2c' } });
  admin = await site.t.join('admin@example.com', 'admin');
});
beforeEach(() => Object.assign(site.acme.next, { answer: null, instead: null }));
afterAll(() => site.close());

/** What the check says of `acme` on a site with this configuration: topic, outcome, advice. */
async function check(environment: Record<string, string> = {}): Promise<[string, string, string | null][]> {
  const t = await createTestApp({
    beside: site.t,
    environment: { OIDC_PROVIDERS: 'acme', ...wayEnvironment('acme', site.acme), ...environment },
  });
  const token = await t.mint({ sub: admin.subject, emails: [admin.email] });
  const { body } = await t.call(checkProvider, { token });
  await t.close();
  await site.t.select("delete from rate_limits where key like 'provider check%'");
  expect(body.registrations.filter(({ provider }) => provider === 'Acme')).toEqual([
    { provider: 'Acme', use: 'redirect', address: 'https://portal.example.com/auth/acme/callback' },
    { provider: 'Acme', use: 'signed-out', address: 'https://portal.example.com/' },
    {
      provider: 'Acme',
      use: 'backchannel-logout',
      address: 'https://portal.example.com/auth/acme/backchannel-logout',
    },
  ]);
  return body.findings
    .filter(({ topic }) => topic.message.startsWith('Acme: '))
    .map(({ topic, outcome, mend }) => [topic.code, outcome, mend?.message ?? null]);
}
const outcomeOf = async (topic: string, environment?: Record<string, string>) => {
  const found = (await check(environment)).find(([code]) => code === `provider_topic.${topic}`);
  return found && [found[1], found[2]];
};
const answers = (path: string, status: number, body: string) => {
  site.acme.next.instead = ({ url = '' }, response) => {
    if (!url.startsWith(path)) return false;
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    return true;
  };
};

test('of a provider that is as it should be, all is right', async () => {
  expect((await check()).map(([topic, outcome]) => [topic.replace('provider_topic.', ''), outcome])).toEqual([
    ['oidcMetadata', 'ok'],
    ['oidcIssuer', 'ok'],
    ['oidcKeys', 'ok'],
    ['oidcClock', 'ok'],
    ['oidcScopes', 'ok'],
    ['oidcCredentials', 'ok'],
  ]);
});

test('a wrong secret is found without a person', async () => {
  expect(await outcomeOf('oidcCredentials', { OIDC_ACME_CLIENT_SECRET: 'another secret' })).toEqual([
    'failed',
    expect.stringContaining('OIDC_ACME_CLIENT_SECRET'),
  ]);
});

test('an unknown client is found as well', async () => {
  expect(await outcomeOf('oidcCredentials', { OIDC_ACME_CLIENT_ID: 'nobody' })).toEqual([
    'failed',
    expect.any(String),
  ]);
});

test('another issuer is named, letter by letter', async () => {
  const issuer = site.acme.issuer.replace('127.0.0.1', 'localhost');
  expect(await outcomeOf('oidcIssuer', { OIDC_ACME_ISSUER: issuer })).toEqual([
    'failed',
    `Set OIDC_ACME_ISSUER to exactly ${site.acme.issuer}.`,
  ]);
});

test('a provider that is not there', async () => {
  answers('/.well-known', 404, '{}');
  expect(await check()).toEqual([
    ['provider_topic.oidcMetadata', 'failed', expect.stringContaining('OIDC_ACME_ISSUER')],
  ]);
});

test('no keys', async () => {
  answers('/jwks', 200, '{"keys":[]}');
  expect(await outcomeOf('oidcKeys')).toEqual(['failed', expect.any(String)]);
});

test('no address of keys', async () => {
  site.acme.next.answer = (path, { jwks_uri: keys, ...body }) =>
    path.startsWith('/.well-known') ? body : { ...body, jwks_uri: keys };
  const found = await check();
  expect(found).toContainEqual(['provider_topic.oidcKeys', 'failed', expect.any(String)]);
  // Of the client nothing can be said then.
  expect(found.map(([topic]) => topic)).not.toContain('provider_topic.oidcCredentials');
});

test('keys that cannot be read', async () => {
  answers('/jwks', 500, '');
  expect(await outcomeOf('oidcKeys')).toEqual(['failed', expect.any(String)]);
});

test('scopes that it does not offer', async () => {
  expect(await outcomeOf('oidcScopes', { OIDC_ACME_SCOPES: 'openid email invented' })).toEqual([
    'warning',
    expect.stringContaining('OIDC_ACME_SCOPES'),
  ]);
});
