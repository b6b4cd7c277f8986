/** Recovery codes of organizations: 120 random bits. Only a keyed hash is stored. */
import { randomBytes } from 'node:crypto';
import { createKeyedHash } from '../../../platform/identity/keyed-hash.ts';
import { formatToken } from '../../../platform/identity/opaque-token.ts';

/** Without letters and digits that look alike. */
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const randomBytesPerCode = 15;
const codeLength = 24;

export function createRecoveryCodes(secret: Buffer) {
  const keyedHash = createKeyedHash(secret, 'vestibule recovery codes of organizations');
  /** Ignores the case, spaces and hyphens. */
  const hashOf = (code: string) => keyedHash(code.toUpperCase().replaceAll(/[^0-9A-Z]/g, ''));
  return {
    hashOf,
    /** Returns a code in groups of four, such as `ABCD-EFGH-…`. */
    make(): { text: string; hash: Buffer } {
      const code = formatToken(randomBytes(randomBytesPerCode), alphabet, codeLength);
      return { text: code.match(/.{4}/g)?.join('-') ?? code, hash: hashOf(code) };
    },
  };
}
