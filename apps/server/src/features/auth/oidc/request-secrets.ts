/** Derives the secrets of an authorization request from the server's secret, so that none is stored. */
import { timingSafeEqual } from 'node:crypto';
import { createKeyedHash } from '../../../platform/identity/keyed-hash.ts';

export function createRequestSecrets(secret: Buffer) {
  const createDerivation = (purpose: string) => createKeyedHash(secret, purpose);
  const deriveNonce = createDerivation('vestibule sign-in nonce');
  const deriveVerifier = createDerivation('vestibule sign-in verifier');
  const deriveBinder = createDerivation('vestibule sign-in binder');
  const deriveCode = createDerivation('vestibule proof of an address');
  const deriveKey = createDerivation('vestibule link that proves an address');
  const deriveChallenge = createDerivation('vestibule passkey challenge');
  const deriveHandle = createDerivation('vestibule passkey user handle');

  return {
    secretsOf: (state: string) => ({
      nonce: deriveNonce(state).toString('base64url'),
      verifier: deriveVerifier(state).toString('base64url'),
    }),

    /** Returns the hash of a request's cookie, as stored in the database. */
    binderHashOf: (binder: string): Buffer => deriveBinder(binder),

    challengeOf: (hash: Buffer): string => deriveChallenge(hash).toString('base64url'),
    handleOf: (hash: Buffer): string => deriveHandle(hash).toString('base64url'),

    /** `mails` is the number of mailed codes; only the newest code is valid. */
    codeOf,

    isCode: (hash: Buffer, mails: number, entered: string): boolean =>
      timingSafeEqual(Buffer.from(codeOf(hash, mails)), Buffer.from(entered)),

    /** Returns the secret in the link of the newest mail. */
    linkKeyOf,

    isLinkKey(hash: Buffer, mails: number, key: string): boolean {
      const [expected, actual] = [Buffer.from(linkKeyOf(hash, mails)), Buffer.from(key)];
      return expected.length === actual.length && timingSafeEqual(expected, actual);
    },
  };

  function linkKeyOf(hash: Buffer, mails: number): string {
    return deriveKey(hash, Buffer.from([mails])).toString('base64url');
  }

  function codeOf(hash: Buffer, mails: number): string {
    const digits = deriveCode(hash, Buffer.from([mails])).readUIntBE(0, 6) % 1_000_000;
    return String(digits).padStart(6, '0');
  }
}
