import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import { authorizationErrorIn, explainFailure, loggedFailure } from './oidc-failure.ts';

type Answer = (signal: AbortSignal) => Promise<Response>;

async function errorOf(response: Answer): Promise<unknown> {
  const configuration = new openid.Configuration(
    { issuer: 'https://acme.example', token_endpoint: 'https://acme.example/token' },
    'vestibule',
    undefined,
    openid.ClientSecretBasic('secret'),
  );
  configuration.timeout = 0.05;
  configuration[openid.customFetch] = (_url, { signal }) => response(signal as AbortSignal);
  try {
    await openid.refreshTokenGrant(configuration, 'token');
    return null;
  } catch (error) {
    return error;
  }
}

const problemOf = async (response: Answer) => explainFailure(await errorOf(response), 'Acme').text.code;

const responds =
  (status: number, body: string, headers: Record<string, string> = {}) =>
  () =>
    Promise.resolve(
      new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } }),
    );
const never = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

test.each<[string, string, Answer]>([
  ['does not respond in time', 'sign_in.provider_down', never],
  [
    'cannot be reached',
    'sign_in.provider_down',
    () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })),
  ],
  ['responds with 429', 'sign_in.provider_down', responds(429, '{}')],
  ['responds with 503', 'sign_in.provider_down', responds(503, '{"error":"server_error"}')],
  [
    'responds with a page',
    'sign_in.provider_answer',
    responds(200, '<h1>Hello</h1>', { 'content-type': 'text/html' }),
  ],
  [
    'challenges the secret',
    'sign_in.provider_setup',
    responds(401, '', { 'www-authenticate': 'Basic realm="acme", error="invalid_client"' }),
  ],
  ['refuses the client', 'sign_in.provider_setup', responds(400, '{"error":"invalid_client"}')],
  ['rejects the code', 'sign_in.expired', responds(400, '{"error":"invalid_grant"}')],
  [
    'sends another error code',
    'sign_in.refused_by_provider',
    responds(400, '{"error":"interaction_required"}'),
  ],
  [
    'responds with 404',
    'sign_in.provider_answer',
    responds(404, 'Not found', { 'content-type': 'text/plain' }),
  ],
])('if the provider %s, explainFailure returns %s', async (_what, code, response) => {
  expect(await problemOf(response)).toBe(code);
});

test.each([
  ['sign_in.expired', 'error=temporarily_unavailable&error_description=authentication_expired'],
  ['sign_in.provider_down', 'error=temporarily_unavailable&error_description=Try+again+later'],
  ['sign_in.cancelled', 'error=user_cancelled_authorize'],
])('explainFailure returns %s for the error response %s', (code, query) => {
  const error = authorizationErrorIn(new URLSearchParams(query));
  expect(explainFailure(error, 'Keycloak').text.code).toBe(code);
});

test('explainFailure rethrows errors that are unrelated to the provider', async () => {
  const ownError = new RangeError('a mistake of this site');
  expect(() => explainFailure(ownError, 'Acme')).toThrow(ownError);
});

describe('loggedFailure', () => {
  test.each<[string, Answer, object]>([
    [
      'the status of a plain-text response with status 404',
      responds(404, 'Not found', { 'content-type': 'text/plain' }),
      { code: 'OAUTH_RESPONSE_IS_NOT_JSON', status: 404 },
    ],
    [
      'the name of a value of the wrong type',
      responds(200, '{"access_token":"Secret","token_type":"bearer","scope":["Secret"]}'),
      { code: 'OAUTH_INVALID_RESPONSE', reason: '"response" body "scope" property must be a string' },
    ],
    [
      'the code of an error with status 200',
      responds(200, '{"error":"bad_verification_code","error_description":"Secret"}'),
      { code: 'OAUTH_INVALID_RESPONSE', oauthCode: 'bad_verification_code' },
    ],
    [
      'the reason for a truncated response',
      responds(200, '{"access_token":"Secret'),
      { code: 'OAUTH_PARSE_ERROR', reason: 'failed to parse "response" body as JSON' },
    ],
    [
      'the code "unknown" for an error that is not an OAuth code',
      responds(400, '{"error":"Secret text"}'),
      { status: 400, oauthCode: 'unknown' },
    ],
  ])('returns %s', async (_title, response, expected) => {
    const logged = loggedFailure(explainFailure(await errorOf(response), 'Acme'));
    expect(logged).toMatchObject(expected);
    expect(JSON.stringify(logged)).not.toContain('Secret');
  });

  test('returns the reason of an error without a code', () => {
    const logged = loggedFailure(explainFailure(new openid.ClientError('metadata without keys'), 'Acme'));
    expect(logged).toMatchObject({ problem: 'sign_in.provider_answer', reason: 'metadata without keys' });
  });
});
