import { requestErrors } from '@vestibule/contract/request-errors';
import { logoMaximumBytes, settingsErrors } from '@vestibule/contract/settings';
import type { FastifyInstance } from 'fastify';
import { execute, rowOf, type Database, type Queryable } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import {
  bytesUnlessCopied,
  copiesOf,
  readUploadedPicture,
  sendPicture,
} from '../../platform/uploaded-picture.ts';
import type { StoredLogo } from './settings-store.ts';

/** Decodes an uploaded picture. Throws `settings.logo_unusable` if it cannot be a logo. */
export function readLogo(base64: string): StoredLogo & { bytes: Buffer } {
  const picture = readUploadedPicture(base64, logoMaximumBytes);
  if (!picture) throw fail(settingsErrors.logoUnusable);
  return picture;
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

/** Serves the picture at `/api/logo`. */
export function serveLogo(app: FastifyInstance, database: Database): void {
  app.get('/api/logo', { config: { access: 'public' } }, async (request, reply) => {
    const logo = await rowOf<StoredLogo & { bytes: Buffer | null }>(database, {
      name: 'read-logo',
      text: `select hash, value->>'type' as type, ${bytesUnlessCopied('hash')}
             from settings join logos on hash = value->>'hash' where name = 'logo'`,
      values: [copiesOf(request)],
    });
    if (!logo) throw fail(requestErrors.notFound);
    return sendPicture(reply, logo);
  });
}
