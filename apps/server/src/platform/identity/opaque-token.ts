/** Opaque bearer tokens: a prefix and 256 random bits in 43 characters. Only a keyed hash is stored. */
import { randomBytes } from 'node:crypto';
import { createKeyedHash } from './keyed-hash.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const tokenBytes = 32;
/** 62^43 is more than 2^256. */
const tokenLength = 43;

export type OpaqueTokens = ReturnType<typeof createOpaqueTokens>;

/** Tokens of one kind; another `purpose` results in other hashes. */
export function createOpaqueTokens(secret: Buffer, { purpose, prefix }: { purpose: string; prefix: string }) {
  const hashOf: (token: string) => Buffer = createKeyedHash(secret, purpose);
  return {
    hashOf,
    make: (): { token: string; hash: Buffer } => {
      const token = `${prefix}${formatToken(randomBytes(tokenBytes), alphabet, tokenLength)}`;
      return { token, hash: hashOf(token) };
    },
  };
}

/** Encodes a number in the given digits, padded to `length` with the first digit. */
export function formatToken(bytes: Buffer, digits: string, length: number): string {
  const base = BigInt(digits.length);
  let number = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let index = 0; index < length; index += 1) {
    text = digits[Number(number % base)] + text;
    number /= base;
  }
  return text;
}
