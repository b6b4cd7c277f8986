/**
 * WebCrypto as SimpleWebAuthn uses it for nearly every sign-in, done at once: three digests and a signature of 0.1 ms in all. Node.js
 * hands each of them to another thread, and waking that one costs more than the work: a quarter of all that a sign-in takes. What
 * is rarer (keys of RSA and Ed25519) goes Node's way.
 */
import { createPublicKey, hash, KeyObject, verify, webcrypto, type JsonWebKey } from 'node:crypto';
import { cose, isoCrypto } from '@simplewebauthn/server/helpers';

const { subtle } = webcrypto;
type Key = webcrypto.CryptoKey | KeyObject;

/** `SHA-256` of WebCrypto, as OpenSSL names it. */
const nameOf = (algorithm: string) => algorithm.replace('-', '').toLowerCase();

/** Node.js finds out what kind of key it was given by throwing and catching, and the stacks cost as much as reading the key. */
function withoutStacks<Result>(work: () => Result): Result {
  const usual = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = usual;
  }
}

const atOnce = {
  digest: (algorithm: string, data: Uint8Array) => Promise.resolve(hash(nameOf(algorithm), data, 'buffer')),

  importKey: (
    ...asked: [format: 'jwk', key: JsonWebKey, { name: string }, boolean, ['verify']]
  ): Promise<Key> =>
    asked[2].name === 'ECDSA'
      ? Promise.resolve(withoutStacks(() => createPublicKey({ format: 'jwk', key: asked[1] })))
      : subtle.importKey(...asked),

  verify: (
    algorithm: { name: string; hash: { name: string } },
    key: Key,
    signature: Uint8Array,
    data: Uint8Array,
  ) =>
    key instanceof KeyObject
      ? Promise.resolve(
          withoutStacks(() =>
            verify(nameOf(algorithm.hash.name), data, { key, dsaEncoding: 'ieee-p1363' }, signature),
          ),
        )
      : subtle.verify(algorithm, key, signature, data),
};

/** SimpleWebAuthn keeps the WebCrypto that it finds when it is first called. Nothing else runs in between. */
export function verifyAtOnce(): void {
  const usual = Object.getOwnPropertyDescriptor(globalThis, 'crypto') as PropertyDescriptor;
  Object.defineProperty(globalThis, 'crypto', { configurable: true, value: { subtle: atOnce } });
  void isoCrypto.digest(new Uint8Array(), cose.COSEALG.ES256);
  Object.defineProperty(globalThis, 'crypto', usual);
}
