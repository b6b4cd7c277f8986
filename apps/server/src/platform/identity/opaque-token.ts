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
export function createOpaqueTokens({
  secret,
  purpose,
  prefix,
}: {
  secret: Buffer;
  purpose: string;
  prefix: string;
}): OpaqueTokens {
  const key = createSecretKey(createHmac('sha256', secret).update(purpose).digest());
  const hashOf = (token: string) => createHmac('sha256', key).update(token).digest();
  return {
    hashOf,
    make() {
      const token = `${prefix}${base62(randomBytes(tokenBytes))}`;
      return { token, hash: hashOf(token) };
    },
  };
}

function base62(bytes: Buffer): string {
  let number = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let index = 0; index < tokenLength; index += 1) {
    text = alphabet[Number(number % 62n)] + text;
    number /= 62n;
  }
  return text;
}
