import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** About 32 MB and 60 ms per check. */
const defaultCost = 2 ** 15;
const keyBytes = 32;

export type Passwords = ReturnType<typeof createPasswords>;

/** `cost` is scrypt's N. Hashes of one cost do not verify with another. */
export function createPasswords(cost = defaultCost) {
  return {
    /** Returns `scrypt$salt$key`, both base64url. */
    async hash(password: string): Promise<string> {
      const salt = randomBytes(16);
      const key = await derive(password, salt, cost);
      return `scrypt$${salt.toString('base64url')}$${key.toString('base64url')}`;
    },

    async verify(password: string, hash: string): Promise<boolean> {
      const [, salt = '', key = ''] = hash.split('$');
      const expected = Buffer.from(key, 'base64url');
      const actual = await derive(password, Buffer.from(salt, 'base64url'), cost);
      return expected.length === actual.length && timingSafeEqual(expected, actual);
    },
  };
}

/** A hash that no password matches. Verifying it takes as long as verifying a real one. */
export const unmatchableHash = `scrypt$${randomBytes(16).toString('base64url')}$${randomBytes(keyBytes).toString('base64url')}`;

/** B2C's "strong" rule: 8 to 64 characters with three of lower case, upper case, digit and symbol. */
export function isStrongPassword(password: string): boolean {
  if (password.length < 8 || password.length > 64) return false;
  const classes = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^a-zA-Z0-9]/];
  return classes.filter((pattern) => pattern.test(password)).length >= 3;
}

function derive(password: string, salt: Buffer, N: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, keyBytes, { N, r: 8, p: 1, maxmem: 2048 * N }, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}
