/** What openid-client makes of a provider's answers, and what is told of it: the rows that no provider of these tests gives by itself. */
import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import { explainFailure, loggedFailure } from './oidc-failure.ts';

type Answer = (signal: AbortSignal) => Promise<Response>;

/** Returns what a refresh token grant throws. */
async function errorOf(answer: Answer): Promise<unknown> {
  const configuration = new openid.Configuration(
    { issuer: 'https://acme.example', token_endpoint: 'https://acme.example/token' },
    'vestibule',
    undefined,
    openid.ClientSecretBasic('secret'),
  );
  configuration.timeout = 0.05;
  configuration[openid.customFetch] = (_url, { signal }) => answer(signal as AbortSignal);
  try {
    await openid.refreshTokenGrant(configuration, 'token');
    return null;
  } catch (error) {
    return error;
  }
}

/** Returns the code of the problem that is reported for an answer of the token endpoint. */
const toldOf = async (answer: Answer) => explainFailure(await errorOf(answer), 'Acme').text.code;

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
  ['does not answer in time', 'sign_in.provider_down', never],
  [
    'cannot be reached',
    'sign_in.provider_down',
    () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })),
  ],
  ['has had too many requests', 'sign_in.provider_down', responds(429, '{}')],
  [
    'challenges the secret',
    'sign_in.provider_setup',
    responds(401, '', { 'www-authenticate': 'Basic realm="acme", error="invalid_client"' }),
  ],
  ['refuses the client', 'sign_in.provider_setup', responds(400, '{"error":"invalid_client"}')],
  ['does not know the code', 'sign_in.expired', responds(400, '{"error":"invalid_grant"}')],
  [
    'says what nobody knows',
    'sign_in.refused_by_provider',
    responds(400, '{"error":"interaction_required"}'),
  ],
  ['is not there', 'sign_in.provider_answer', responds(404, 'Not found', { 'content-type': 'text/plain' })],
])('a provider that %s: %s', async (_what, code, answer) => {
  expect(await toldOf(answer)).toBe(code);
});

test('an error that is none of the provider is not told as one', async () => {
  const ours = new RangeError('a mistake of this site');
  expect(() => explainFailure(ours, 'Acme')).toThrow(ours);
});

describe('the log entry', () => {
  test.each<[string, Answer, object]>([
    [
      'of a plain text with status 404 has the status',
      responds(404, 'Not found', { 'content-type': 'text/plain' }),
      { code: 'OAUTH_RESPONSE_IS_NOT_JSON', status: 404 },
    ],
    [
      'of a page has the status',
      responds(200, '<h1>Secret</h1>', { 'content-type': 'text/html' }),
      { code: 'OAUTH_RESPONSE_IS_NOT_JSON', status: 200 },
    ],
    [
      'of a value of another type names the value',
      responds(200, '{"access_token":"Secret","token_type":"bearer","scope":["Secret"]}'),
      { code: 'OAUTH_INVALID_RESPONSE', reason: '"response" body "scope" property must be a string' },
    ],
    [
      'of an error with status 200 has its code',
      responds(200, '{"error":"bad_verification_code","error_description":"Secret"}'),
      { code: 'OAUTH_INVALID_RESPONSE', oauthCode: 'bad_verification_code' },
    ],
    [
      'of half an answer has the reason',
      responds(200, '{"access_token":"Secret'),
      { code: 'OAUTH_PARSE_ERROR', reason: 'failed to parse "response" body as JSON' },
    ],
    [
      'of an error that is no OAuth code leaves it out',
      responds(400, '{"error":"Secret text"}'),
      { status: 400, oauthCode: 'unknown' },
    ],
  ])('%s', async (_title, answer, expected) => {
    const logged = loggedFailure(explainFailure(await errorOf(answer), 'Acme'));
    expect(logged).toMatchObject(expected);
    expect(JSON.stringify(logged)).not.toContain('Secret');
  });

  test('of an error without a code has the reason', () => {
    const logged = loggedFailure(explainFailure(new openid.ClientError('metadata without keys'), 'Acme'));
    expect(logged).toMatchObject({ problem: 'sign_in.provider_answer', reason: 'metadata without keys' });
  });
});
