import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { attachmentErrors } from '@vestibule/contract/attachments/errors';
import type { Logger } from 'pino';
import type { DatabaseDeps } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { StorageError, type ByteRange, type FileStorage } from '../../../platform/storage/storage.ts';
import { recordVerification, type AttachmentRow } from '../files/attachment-store.ts';

/** Time for which a verified file is not verified again. */
const verificationLifetimeMs = 24 * 3_600_000;

export function createFileContents(deps: DatabaseDeps & { storage: FileStorage; logger: Logger }) {
  const { database, storage, now } = deps;

  /** Opens the contents. Throws and reports the file if they are missing or have a wrong size. */
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

  /** Logs an alert: the file has to be restored from a backup. */
  async function report(file: AttachmentRow, problem: string): Promise<void> {
    deps.logger.error({ attachment: file.id, alert: 'attachment_damaged' }, `the file ${file.id} ${problem}`);
    await recordVerification(database, file.id, { intact: false, at: new Date(now()) });
  }

  /** Only logs a failed update, because the file is intact and will be verified again. */
  async function recordIntact(file: AttachmentRow): Promise<void> {
    try {
      await recordVerification(database, file.id, { intact: true, at: new Date(now()) });
    } catch (error) {
      deps.logger.warn(
        { err: error, attachment: file.id },
        `the verification of the file ${file.id} could not be recorded`,
      );
    }
  }

  /** Verifies the hash while streaming. Withholds the last chunk of a damaged file, so that the download fails. */
  async function* verify(file: AttachmentRow, bytes: Readable): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    let previousChunk: Uint8Array | undefined;
    for await (const chunk of bytes) {
      hash.update(chunk as Uint8Array);
      if (previousChunk) yield previousChunk;
      previousChunk = chunk as Uint8Array;
    }
    const intact = hash.digest().equals(file.sha256);
    if (intact) await recordIntact(file);
    else await report(file, 'is damaged: its SHA-256 differs');
    if (!intact) throw new Error(`the contents of ${file.id} are damaged`);
    if (previousChunk) yield previousChunk;
  }

  const isRecentlyVerified = (file: AttachmentRow) =>
    file.verified_at.getTime() + verificationLifetimeMs > now();

  return { open, verify, isRecentlyVerified };
}
