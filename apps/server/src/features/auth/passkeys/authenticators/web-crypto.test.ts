/** Signature verification for all supported algorithms (statement M7). */
import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { cose, isoCBOR, verifySignature } from '@simplewebauthn/server/helpers';
import { beforeAll, expect, test, vi } from 'vitest';
import { createAuthenticator } from './authenticator.ts';

const { COSEALG, COSECRV, COSEKEYS, COSEKTY } = cose;
const bytes = (text: string | undefined) => new Uint8Array(Buffer.from(text ?? '', 'base64url'));

/** Encodes a COSE public key (RFC 9053 section 7, RFC 8230 section 4). */
function coseKey(publicKey: KeyObject, algorithm: number): Uint8Array<ArrayBuffer> {
  const { x, y, n, e } = publicKey.export({ format: 'jwk' });
  const parts: Record<number, [number, number | Uint8Array][]> = {
    [COSEALG.ES256]: [
      [COSEKEYS.kty, COSEKTY.EC2],
      [COSEKEYS.crv, COSECRV.P256],
      [COSEKEYS.x, bytes(x)],
      [COSEKEYS.y, bytes(y)],
    ],
    [COSEALG.EdDSA]: [
      [COSEKEYS.kty, COSEKTY.OKP],
      [COSEKEYS.crv, COSECRV.ED25519],
      [COSEKEYS.x, bytes(x)],
    ],
    [COSEALG.RS256]: [
      [COSEKEYS.kty, COSEKTY.RSA],
      [COSEKEYS.n, bytes(n)],
      [COSEKEYS.e, bytes(e)],
    ],
  };
  return isoCBOR.encode(new Map([[COSEKEYS.alg, algorithm], ...(parts[algorithm] ?? [])]));
}

const keys = {
  ES256: { algorithm: COSEALG.ES256, pair: generateKeyPairSync('ec', { namedCurve: 'P-256' }) },
  EdDSA: { algorithm: COSEALG.EdDSA, pair: generateKeyPairSync('ed25519') },
  RS256: { algorithm: COSEALG.RS256, pair: generateKeyPairSync('rsa', { modulusLength: 2048 }) },
};
const data = new Uint8Array(randomBytes(69));

beforeAll(() =>
  createAuthenticator({ rpId: 'localhost', publicUrl: 'http://localhost:3000' }).requestOptions('YQ'),
);

test.each(Object.entries(keys))(
  '%s: a valid signature is accepted, others are rejected',
  async (name, key) => {
    const signature = new Uint8Array(sign(name === 'EdDSA' ? null : 'sha256', data, key.pair.privateKey));
    const credentialPublicKey = coseKey(key.pair.publicKey, key.algorithm);
    expect(await verifySignature({ signature, data, credentialPublicKey })).toBe(true);
    const other = data.with(5, (data[5] ?? 0) ^ 1);
    expect(await verifySignature({ signature, data: other, credentialPublicKey })).toBe(false);
    const { publicKey } =
      name === 'RS256'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : name === 'EdDSA'
          ? generateKeyPairSync('ed25519')
          : generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const otherKey = coseKey(publicKey, key.algorithm);
    expect(await verifySignature({ signature, data, credentialPublicKey: otherKey })).toBe(false);
  },
);

test('ES256 is verified synchronously, and the global WebCrypto is unchanged', async () => {
  const { subtle } = globalThis.crypto;
  expect(subtle).toBeInstanceOf(SubtleCrypto);
  const spies = [vi.spyOn(subtle, 'digest'), vi.spyOn(subtle, 'importKey'), vi.spyOn(subtle, 'verify')];
  const { algorithm, pair } = keys.ES256;
  const signature = new Uint8Array(sign('sha256', data, pair.privateKey));
  const credentialPublicKey = coseKey(pair.publicKey, algorithm);
  expect(await verifySignature({ signature, data, credentialPublicKey })).toBe(true);
  for (const spy of spies) expect(spy).not.toHaveBeenCalled();
});
