import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { isForAccessToken } from './oidc-client.ts';

// Example of OpenID Connect Core 1.0, appendix A.3.
const accessToken = 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y';
const validHash = '77QmUPtjPfzWtF2AnpK9RQ';
const tokenOf = (alg: string) => `${Buffer.from(JSON.stringify({ alg })).toString('base64url')}.e30.`;

test('isForAccessToken accepts the access token that at_hash matches, and every access token if at_hash is absent (security 53)', () => {
  expect(isForAccessToken(tokenOf('RS256'), { at_hash: validHash }, accessToken)).toBe(true);
  expect(isForAccessToken(tokenOf('RS256'), {}, accessToken)).toBe(true);
  for (const at_hash of [validHash.toLowerCase(), '', null, 7, [validHash], `${validHash}A`])
    expect(isForAccessToken(tokenOf('RS256'), { at_hash }, accessToken)).toBe(false);
  expect(isForAccessToken(tokenOf('RS256'), { at_hash: validHash }, 'another')).toBe(false);
});

test.each([
  ['PS256', 'sha256'],
  ['ES384', 'sha384'],
  ['PS512', 'sha512'],
  ['EdDSA', 'sha512'],
  ['Ed25519', 'sha512'],
])('for the algorithm %s, isForAccessToken compares at_hash with half of the %s digest', (alg, name) => {
  const digest = createHash(name).update(accessToken).digest();
  const at_hash = digest.subarray(0, digest.length / 2).toString('base64url');
  expect(isForAccessToken(tokenOf(alg), { at_hash }, accessToken)).toBe(true);
  expect(isForAccessToken(tokenOf(alg), { at_hash: digest.toString('base64url') }, accessToken)).toBe(false);
});
