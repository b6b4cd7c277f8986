/** What files hold, as it is on the storage: never taken for whole when it is not what was stored. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { attachmentErrors } from '@vestibule/contract/attachments/errors';
import type { Logger } from 'pino';
import type { Timed } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { StorageError, type ByteRange, type FileStorage } from '../../../platform/storage/storage.ts';
import { noteContents, type AttachmentRow } from '../files/attachment-store.ts';

/** Contents that were read and compared with their hash so lately are not compared again. */
const trustedMs = 24 * 3_600_000;

export function fileContents(deps: Timed & { storage: FileStorage; logger: Logger }) {
  const { database, storage, now } = deps;

  /** Opens contents, or finds out that they are not what was stored. */
  async function open(file: AttachmentRow, range?: ByteRange): Promise<Readable> {
    try {
      const size = await storage.sizeOf(file.id);
      const bytes = size === file.size ? await storage.read(file.id, range) : null;
      if (bytes) return bytes;
      await report(
        file,
        size === null ? 'is gone from the storage' : `has ${size} bytes instead of ${file.size}`,
      );
      throw fail(attachmentErrors.missing);
    } catch (error) {
      if (error instanceof StorageError)
        throw fail(attachmentErrors.storageUnavailable, { retryAfterSeconds: 60, cause: error });
      throw error;
    }
  }

  /** The alert: somebody has to look for a backup. */
  async function report(file: AttachmentRow, what: string): Promise<void> {
    deps.logger.error({ attachment: file.id, alert: 'attachment_damaged' }, `the file ${file.id} ${what}`);
    await noteContents(database, file.id, { intact: false, at: new Date(now()) });
  }

  /** What cannot be noted is compared again: no reason to break off what is whole. */
  async function noteIntact(file: AttachmentRow): Promise<void> {
    try {
      await noteContents(database, file.id, { intact: true, at: new Date(now()) });
    } catch (error) {
      deps.logger.warn(
        { err: error, attachment: file.id },
        `that the file ${file.id} is intact could not be noted`,
      );
    }
  }

  /** Compares with the hash on the way. The last piece of what is damaged is never sent, so that nobody takes it for whole. */
  async function* verified(file: AttachmentRow, bytes: Readable): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    let held: Uint8Array | undefined;
    for await (const piece of bytes) {
      hash.update(piece as Uint8Array);
      if (held) yield held;
      held = piece as Uint8Array;
    }
    const intact = hash.digest().equals(file.sha256);
    if (intact) await noteIntact(file);
    else await report(file, 'is damaged: its SHA-256 is another one');
    if (!intact) throw new Error(`the contents of ${file.id} are damaged`);
    if (held) yield held;
  }

  const isTrusted = (file: AttachmentRow) => file.verified_at.getTime() + trustedMs > now();

  return { open, verified, isTrusted };
}
