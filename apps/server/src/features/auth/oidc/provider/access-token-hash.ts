/** Whether an id token speaks of the access token beside it (OpenID Connect Core 1.0, section 3.1.3.8). openid-client leaves that open. */
import { createHash } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';

/** True also where it says nothing, which it may with the code flow. */
export function isOfAccessToken(
  idToken: string,
  claims: Record<string, unknown>,
  accessToken: string,
): boolean {
  const { at_hash: said } = claims;
  if (said === undefined) return true;
  const { alg = '' } = decodeProtectedHeader(idToken);
  // Ed25519 hashes with SHA-512.
  const hash = createHash(`sha${/\d{3}$/.exec(alg)?.[0].replace('519', '512') ?? '512'}`);
  const digest = hash.update(accessToken).digest();
  return said === digest.subarray(0, digest.length / 2).toString('base64url');
}
