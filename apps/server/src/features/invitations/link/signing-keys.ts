/**
 * Keys that sign invite tokens, encrypted in the database and shared by all server processes. A key is published for a day
 * before its first signature and a day after its last, because providers cache the key set.
 */
import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose';
import { execute, rowsOf, type Database } from '../../../platform/database/database.ts';
import { createEncryption } from '../../../platform/identity/encryption.ts';
import { dayMs } from '../../../platform/time-units.ts';

const lifetimeMs = 90 * dayMs;
const overlapMs = dayMs;
const cacheMs = 60_000;

type Row = { kid: string; sealed_private_key: Buffer; public_key: JWK; signs_from: Date };

export type SigningKeys = ReturnType<typeof createSigningKeys>;

export function createSigningKeys(database: Database, secret: Buffer, now: () => number) {
  const encryption = createEncryption(secret, 'vestibule signing keys');
  let cache: { until: number; rows: Row[]; signing?: { kid: string; privateKey: CryptoKey } } | undefined;

  async function rows() {
    if (!cache || cache.until <= now()) {
      const result = await database.query<Row>({
        name: 'list-signing-keys',
        text: 'select kid, sealed_private_key, public_key, signs_from from signing_keys order by signs_from',
      });
      cache = { until: now() + cacheMs, rows: result.rows };
    }
    return cache;
  }

  return {
    async current(): Promise<{ kid: string; privateKey: CryptoKey }> {
      const state = await rows();
      // The first key may start in the future if the clock of this process is behind.
      const row =
        state.rows.findLast((candidate) => candidate.signs_from.getTime() <= now()) ?? state.rows[0];
      if (!row) throw new Error('there is no signing key');
      if (state.signing?.kid !== row.kid) {
        const jwk = JSON.parse(encryption.decrypt(row.sealed_private_key)) as JWK;
        state.signing = { kid: row.kid, privateKey: (await importJWK(jwk, 'RS256')) as CryptoKey };
      }
      return state.signing;
    },
    /** Returns all keys that a verifier may need (RFC 7517 JWK set). */
    published: async (): Promise<{ keys: JWK[] }> => ({
      keys: (await rows()).rows.map((row) => row.public_key),
    }),
    /** Creates the first key, or the next one when the newest is 89 days old, and deletes unused keys. */
    async rotate(): Promise<void> {
      await database.transaction(async (transaction) => {
        // Processes that start together create only one key.
        await execute(transaction, 'lock table signing_keys in share row exclusive mode');
        const existing = await rowsOf<Row>(transaction, {
          text: 'select kid, signs_from from signing_keys order by signs_from',
        });
        const newest = existing.at(-1)?.signs_from.getTime();
        if (newest === undefined || newest + lifetimeMs - overlapMs <= now()) {
          const kid = randomBytes(12).toString('base64url');
          const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
          await execute(transaction)`
            insert into signing_keys (kid, sealed_private_key, public_key, signs_from)
              values (${kid}, ${encryption.encrypt(JSON.stringify(await exportJWK(privateKey)))},
              ${{ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }},
              ${new Date(newest === undefined ? now() : Math.max(now() + overlapMs, newest + lifetimeMs))})`;
        }
        // A key is unused once its successor signs. A day later, all its tokens have expired.
        await execute(transaction)`
          delete from signing_keys old where exists (
          select from signing_keys newer where newer.signs_from > old.signs_from
            and newer.signs_from < ${new Date(now() - overlapMs)})`;
      });
      cache = undefined;
    },
  };
}
