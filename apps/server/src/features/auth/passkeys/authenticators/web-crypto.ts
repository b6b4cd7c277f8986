/** Synchronous WebCrypto for ES256 keys: Node.js' thread switches took a quarter of the time of a sign-in. */
import { createPublicKey, hash, KeyObject, verify, webcrypto, type JsonWebKey } from 'node:crypto';
import { cose, isoCrypto } from '@simplewebauthn/server/helpers';

const { subtle } = webcrypto;
type Key = webcrypto.CryptoKey | KeyObject;

const opensslDigestName = (algorithm: string) => algorithm.replace('-', '').toLowerCase();

/** Node.js detects the type of a key by catching exceptions; capturing their stack traces is slow. */
function withoutStackTraces<Result>(work: () => Result): Result {
  const original = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = original;
  }
}

const synchronousSubtle = {
  digest: (algorithm: string, data: Uint8Array) =>
    Promise.resolve(hash(opensslDigestName(algorithm), data, 'buffer')),

  importKey: (
    ...parameters: [format: 'jwk', key: JsonWebKey, { name: string }, boolean, ['verify']]
  ): Promise<Key> =>
    parameters[2].name === 'ECDSA'
      ? Promise.resolve(withoutStackTraces(() => createPublicKey({ format: 'jwk', key: parameters[1] })))
      : subtle.importKey(...parameters),

  verify: (
    algorithm: { name: string; hash: { name: string } },
    key: Key,
    signature: Uint8Array,
    data: Uint8Array,
  ) =>
    key instanceof KeyObject
      ? Promise.resolve(
          withoutStackTraces(() =>
            verify(
              opensslDigestName(algorithm.hash.name),
              data,
              { key, dsaEncoding: 'ieee-p1363' },
              signature,
            ),
          ),
        )
      : subtle.verify(algorithm, key, signature, data),
};

/**
 * Makes SimpleWebAuthn use the synchronous implementation: SimpleWebAuthn stores the global `crypto` at its first call.
 */
export function useSynchronousWebCrypto(): void {
  const original = Object.getOwnPropertyDescriptor(globalThis, 'crypto') as PropertyDescriptor;
  Object.defineProperty(globalThis, 'crypto', { configurable: true, value: { subtle: synchronousSubtle } });
  void isoCrypto.digest(new Uint8Array(), cose.COSEALG.ES256);
  Object.defineProperty(globalThis, 'crypto', original);
}
