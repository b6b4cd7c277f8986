/** Opaque bearer tokens: 256 random bits in 43 characters after a prefix, of which only a keyed hash is stored. */
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const tokenBytes = 32;
/** 62^43 is more than 2^256. */
const tokenLength = 43;

export type OpaqueTokens = {
  make: () => { token: string; hash: Buffer };
  hashOf: (token: string) => Buffer;
};

/** Tokens of one kind: those of another `purpose` have other hashes. */
export function createOpaqueTokens(
  secret: Buffer,
  { purpose, prefix }: { purpose: string; prefix: string },
): OpaqueTokens {
  const key = createSecretKey(createHmac('sha256', secret).update(purpose).digest());
  const hashOf = (token: string) => createHmac('sha256', key).update(token).digest();
  return {
    hashOf,
    make() {
      const token = `${prefix}${spell(randomBytes(tokenBytes), alphabet, tokenLength)}`;
      return { token, hash: hashOf(token) };
    },
  };
}

/** A number in some digits, as long as is asked for; short numbers are padded with the first of them, the zero. */
export function spell(bytes: Buffer, digits: string, length: number): string {
  const base = BigInt(digits.length);
  let number = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let index = 0; index < length; index += 1) {
    text = digits[Number(number % base)] + text;
    number /= base;
  }
  return text;
}
