import { createHmac, createSecretKey } from 'node:crypto';

/** Returns a function that computes HMACs (SHA-256) for one purpose. Their key is derived from the secret of the server. */
export function createKeyedHash(secret: Buffer, purpose: string) {
  // A KeyObject is prepared once; a raw key is prepared for every HMAC.
  const key = createSecretKey(createHmac('sha256', secret).update(purpose).digest());
  return (...parts: (string | Buffer)[]): Buffer =>
    parts.reduce((hash, part) => hash.update(part), createHmac('sha256', key)).digest();
}
