/** What openid-client makes of a provider's answers, and what is told of it: the rows that no provider of these tests gives by itself. */
import * as openid from 'openid-client';
import { expect, test } from 'vitest';
import { explainFailure } from './oidc-failure.ts';

/** The code of what is told of an answer of the token endpoint. */
async function toldOf(answer: (signal: AbortSignal) => Promise<Response>): Promise<string> {
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
    return '';
  } catch (error) {
    return explainFailure(error, 'Acme').text.code;
  }
}

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

test.each<[string, string, Parameters<typeof toldOf>[0]]>([
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
