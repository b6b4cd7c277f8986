/**
 * Short codes of invitation links: 22 base58 characters, 128 bits. A code is derived from the invitation's id and
 * version and the server's secret, so that a link can be copied again although only a keyed hash of it is stored.
 */
import { createHmac, createSecretKey } from 'node:crypto';
import { linkCodeAlphabet, linkCodeLength } from '@vestibule/contract/rules/link-code';
import { formatToken } from '../../../platform/identity/opaque-token.ts';

/** Derives codes and their hashes from the server's secret (32 bytes or more). */
export function createShortCodes(secret: Buffer) {
  // As KeyObjects: raw keys would be prepared again for every HMAC, which costs more than the HMAC.
  const keyFor = (purpose: string) => createSecretKey(createHmac('sha256', secret).update(purpose).digest());
  const codeKey = keyFor('vestibule short code');
  const hashKey = keyFor('vestibule short code at rest');
  return {
    /** Another version is another code; the first is version 0. */
    codeOf: (invitationId: string, version = 0): string =>
      formatToken(
        createHmac('sha256', codeKey)
          .update(version === 0 ? invitationId : `${invitationId}.${version}`)
          .digest()
          .subarray(0, 16),
        linkCodeAlphabet,
        linkCodeLength,
      ),
    /** What is stored and looked up. Any text has a hash, so unknown codes take the same way as known ones. */
    hashOf: (code: string): Buffer => createHmac('sha256', hashKey).update(code).digest(),
  };
}

export type ShortCodes = ReturnType<typeof createShortCodes>;
