import { createHash } from 'node:crypto';
import { requestErrors } from '@vestibule/contract/request-errors';
import { logoMaximumBytes, settingsErrors } from '@vestibule/contract/settings';
import type { FastifyInstance } from 'fastify';
import { execute, rowOf, type Database, type Queryable } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import { readPicture } from '../../platform/picture.ts';
import type { StoredLogo } from './settings-store.ts';

/** Decodes an uploaded picture. Throws `settings.logo_unusable` if it cannot be a logo. */
export function readLogo(base64: string): StoredLogo & { bytes: Buffer } {
  const bytes = Buffer.from(base64, 'base64');
  const picture = bytes.length <= logoMaximumBytes ? readPicture(bytes) : null;
  if (!picture) throw fail(settingsErrors.logoUnusable);
  return { ...picture, hash: createHash('sha256').update(bytes).digest('hex'), bytes };
}

/** Stores the picture and deletes all others. */
export async function storeLogo(
  transaction: Queryable,
  logo: { hash: string; bytes: Buffer } | null,
): Promise<void> {
  await execute(transaction, 'delete from logos where hash is distinct from $1', [logo?.hash ?? null]);
  if (logo)
    await transaction.query({
      text: 'insert into logos (hash, bytes) values ($1, $2) on conflict do nothing',
      values: [logo.hash, logo.bytes],
    });
}

/** Serves the picture at `/api/logo`, also to mail programs on other origins. */
export function serveLogo(app: FastifyInstance, database: Database): void {
  app.get('/api/logo', { config: { access: 'public' } }, async (request, reply) => {
    const logo = await rowOf<StoredLogo & { bytes: Buffer | null }>(database, {
      name: 'read-logo',
      // The bytes are read only if the client has no current copy.
      text: `select hash, value->>'type' as type, case when $1 like '%' || hash || '%' then null else bytes end as bytes
             from settings join logos on hash = value->>'hash' where name = 'logo'`,
      values: [request.headers['if-none-match'] ?? ''],
    });
    if (!logo) throw fail(requestErrors.notFound);
    reply.headers({
      etag: `"${logo.hash}"`,
      'cache-control': 'public, max-age=300',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    return logo.bytes === null ? reply.code(304).send() : reply.type(logo.type).send(logo.bytes);
  });
}
