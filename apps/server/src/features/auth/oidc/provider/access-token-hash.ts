/** Checks `at_hash` of an id token (OpenID Connect Core 1.0, section 3.1.3.8), which openid-client does not. */
import { createHash } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';

/** Returns true also for an id token without `at_hash`, which is optional in the code flow. */
export function isForAccessToken(
  idToken: string,
  claims: Record<string, unknown>,
  accessToken: string,
): boolean {
  const { at_hash: expected } = claims;
  if (expected === undefined) return true;
  const { alg = '' } = decodeProtectedHeader(idToken);
  // Ed25519 hashes with SHA-512.
  const hash = createHash(`sha${/\d{3}$/.exec(alg)?.[0].replace('519', '512') ?? '512'}`);
  const digest = hash.update(accessToken).digest();
  return expected === digest.subarray(0, digest.length / 2).toString('base64url');
}
