import type { DatabaseSync } from 'node:sqlite';
import { SignJWT, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose';
import type { JWK, JWTPayload } from 'jose';

type SigningKey = {
  publicJwk: JWK;
  /** RS256 with typ "JWT" for id tokens and access tokens, as in B2C. */
  sign(claims: JWTPayload): Promise<string>;
};

/** Returns the stored key; creates it at the first start. */
export async function openSigningKey(database: DatabaseSync): Promise<SigningKey> {
  const stored = database.prepare('select private_jwk as jwk from signing_keys limit 1').get() as
    | { jwk: string }
    | undefined;
  const privateJwk = stored ? (JSON.parse(stored.jwk) as JWK) : await createKey(database);
  const { kty, n, e, kid } = privateJwk;
  const key = await importJWK(privateJwk, 'RS256');
  return {
    publicJwk: { kty, n, e, kid, use: 'sig', alg: 'RS256' } as JWK,
    sign: (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: kid!, typ: 'JWT' }).sign(key),
  };
}

async function createKey(database: DatabaseSync): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  const privateJwk = { ...jwk, kid };
  database
    .prepare('insert into signing_keys (kid, private_jwk) values (?, ?)')
    .run(kid, JSON.stringify(privateJwk));
  return privateJwk;
}
