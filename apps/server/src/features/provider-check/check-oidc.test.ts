import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { checkProvider } from '@vestibule/contract/settings/provider-check';
import { expect, test } from 'vitest';
import { createTestApp } from '../../test/test-app.ts';
import { providerEnvironment, setUpOidcSite } from '../../test/sign-in/test-oidc-site.ts';
import { remedyOf } from './test-provider.ts';

const site = await setUpOidcSite({ environment: { SIGN_IN_WITH: 'oidc,b2c' } });
const admin = await site.t.join('admin@example.com', 'admin');

/** Runs the check on a site with the provider `acme`. */
async function report(environment: Record<string, string>) {
  const t = await createTestApp({
    sharedWith: site.t,
    environment: { OIDC_PROVIDERS: 'acme', ...providerEnvironment('acme', site.acme), ...environment },
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
  return body;
}

/** Returns topic, outcome and advice of the findings about `acme`. */
async function check(environment: Record<string, string> = {}): Promise<[string, string, string | null][]> {
  const body = await report(environment);
  return body.findings
    .filter(({ topic }) => topic.message.startsWith('Acme: '))
    .map((finding) => [finding.topic.code, finding.outcome, remedyOf(finding)?.message ?? null]);
}
const foundOf = async (topic: string, environment: Record<string, string>) =>
  (await report(environment)).findings.find(({ topic: { code } }) => code === `provider_topic.${topic}`)
    ?.found.message;
const outcomeOf = async (topic: string, environment?: Record<string, string>) => {
  const found = (await check(environment)).find(([code]) => code === `provider_topic.${topic}`);
  return found && [found[1], found[2]];
};
const responses = (path: string, status: number, body: string) => {
  site.acme.next.instead = ({ url = '' }, response) => {
    if (!url.startsWith(path)) return false;
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    return true;
  };
};

test('the check reports no problems for a correct provider', async () => {
  expect((await check()).map(([topic, outcome]) => [topic.replace('provider_topic.', ''), outcome])).toEqual([
    ['oidcMetadata', 'ok'],
    ['oidcIssuer', 'ok'],
    ['oidcKeys', 'ok'],
    ['oidcClock', 'ok'],
    ['oidcCredentials', 'ok'],
  ]);
});

test('the check detects a wrong client secret without a sign-in', async () => {
  expect(await outcomeOf('oidcCredentials', { OIDC_ACME_CLIENT_SECRET: 'another secret' })).toEqual([
    'failed',
    expect.stringContaining('OIDC_ACME_CLIENT_SECRET'),
  ]);
});

test.each([
  [
    'client_secret_basic',
    'a-secret',
    'correct with client_secret_basic: a made-up code was refused as invalid',
  ],
  [
    'client_secret_post',
    'a-secret',
    'correct with client_secret_post: a made-up code was refused as invalid',
  ],
  [
    'unencoded',
    'a+secret',
    'correct with client_secret_basic without percent-encoding: a made-up code was refused as invalid',
  ],
])(
  'the check names the authentication method that the provider accepts: %s',
  async (method, secret, found) => {
    const body = async (request: IncomingMessage): Promise<string> => {
      const { authorization = '' } = request.headers;
      const shown =
        method === 'client_secret_post'
          ? `:${new URLSearchParams(await text(request)).get('client_secret')}`
          : Buffer.from(authorization.slice('Basic '.length), 'base64').toString();
      return JSON.stringify({
        error: shown.endsWith(`:${secret}`) ? 'invalid_grant' : 'unauthorized_client',
      });
    };
    site.acme.next.instead = (request, response) => {
      if (request.url !== '/token') return false;
      response.writeHead(400, { 'content-type': 'application/json' });
      void pipeline(async function* () {
        yield await body(request);
      }, response);
      return true;
    };
    expect(await foundOf('oidcCredentials', { OIDC_ACME_CLIENT_SECRET: secret })).toBe(found);
  },
);

test('the check names the exact issuer of the provider if the configured one differs', async () => {
  const issuer = site.acme.issuer.replace('127.0.0.1', 'localhost');
  expect(await outcomeOf('oidcIssuer', { OIDC_ACME_ISSUER: issuer })).toEqual([
    'failed',
    `Set OIDC_ACME_ISSUER to exactly ${site.acme.issuer}.`,
  ]);
});

test('the check reports an unreachable provider', async () => {
  responses('/.well-known', 404, '{}');
  expect(await check()).toEqual([
    ['provider_topic.oidcMetadata', 'failed', expect.stringContaining('OIDC_ACME_ISSUER')],
  ]);
});

test.each([
  ['missing', 200, '{"keys":[]}'],
  ['unreadable', 500, ''],
])('the check reports %s keys', async (_what, status, body) => {
  responses('/jwks', status, body);
  expect(await outcomeOf('oidcKeys')).toEqual(['failed', expect.any(String)]);
});

test('the check reports metadata without jwks_uri', async () => {
  site.acme.next.rewrite = (path, { jwks_uri: keys, ...body }) =>
    path.startsWith('/.well-known') ? body : { ...body, jwks_uri: keys };
  const found = await check();
  expect(found).toContainEqual(['provider_topic.oidcKeys', 'failed', expect.any(String)]);
  // The client cannot be checked in this case.
  expect(found.map(([topic]) => topic)).not.toContain('provider_topic.oidcCredentials');
});
