/** Recovery codes of organizations: 120 random bits. Only a keyed hash is stored. */
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { formatToken } from '../../../platform/identity/opaque-token.ts';

/** Without letters and digits that look alike. */
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const randomBytesPerCode = 15;
const codeLength = 24;

export function createRecoveryCodes(secret: Buffer) {
  const key = createSecretKey(
    createHmac('sha256', secret).update('vestibule recovery codes of organizations').digest(),
  );
  /** Ignores the case, spaces and hyphens. */
  const hashOf = (code: string) =>
    createHmac('sha256', key)
      .update(code.toUpperCase().replaceAll(/[^0-9A-Z]/g, ''))
      .digest();
  return {
    hashOf,
    /** Returns a code in groups of four, such as `ABCD-EFGH-…`. */
    make(): { text: string; hash: Buffer } {
      const code = formatToken(randomBytes(randomBytesPerCode), alphabet, codeLength);
      return { text: code.match(/.{4}/g)?.join('-') ?? code, hash: hashOf(code) };
    },
  };
}
