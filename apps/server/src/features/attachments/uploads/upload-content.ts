/** Receives the bytes of uploads. The stored size is the offset at which an upload resumes. */
import { createHash, randomUUID, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { uploadErrors } from '@vestibule/contract/attachments/errors';
import { BoundedMap } from '../../../platform/bounded-map.ts';
import type { DatabaseDeps } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import type { FileStorage } from '../../../platform/storage/storage.ts';
import {
  claimUpload,
  findFinishedSize,
  findUpload,
  deleteUpload,
  recordReceived,
  type UploadRow,
} from './upload-rows.ts';

const activityIntervalMs = 60_000;
/** Maximum number of running hashes per process. An upload without a running hash is read again when it is complete. */
const maxRunningHashes = 10_000;

export type UploadContent = ReturnType<typeof createUploadContent>;

export function createUploadContent(deps: DatabaseDeps & { storage: FileStorage }) {
  const { database, storage, now } = deps;
  const hashes = new BoundedMap<string, { hash: Hash; at: number }>(maxRunningHashes);
  /** Identifies this process in `writers` of uploads. */
  const processId = randomUUID();
  const writing = new Set<Promise<unknown>>();

  /** Writes the request body until it ends or fails. Returns the new size. */
  async function write({ id, size }: UploadRow, offset: number, request: IncomingMessage): Promise<number> {
    const running = offset === 0 ? { hash: createHash('sha256'), at: 0 } : hashes.get(id);
    const progress = running?.at === offset ? running : null;
    if (progress) hashes.set(id, progress);
    else hashes.delete(id);
    let end = offset;
    let recordedAt = now();

    async function* counted() {
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (end + chunk.length > size) throw fail(uploadErrors.lengthInvalid);
        yield chunk;
        progress?.hash.update(chunk);
        if (progress) progress.at += chunk.length;
        end += chunk.length;
        if (recordedAt + activityIntervalMs > now()) continue;
        recordedAt = now();
        await recordReceived(database, id, end, new Date(recordedAt));
      }
    }

    try {
      await storage.append(id, offset, counted());
      return end;
    } catch (error) {
      end = (await storage.sizeOf(id).catch(() => null)) ?? offset;
      // The hash may include bytes that were not stored.
      if (progress?.at !== end) hashes.delete(id);
      const isLost = request.destroyed && !request.readableEnded;
      throw isLost ? fail(uploadErrors.busy, { cause: error }) : error;
    } finally {
      await recordReceived(database, id, end, new Date(now()));
    }
  }

  return {
    processId,

    async create(id: string, size: number): Promise<void> {
      try {
        await storage.create(id, size);
      } catch (error) {
        // Releases the reserved space. The empty file may remain if the storage is unavailable.
        await storage.remove(id).catch(() => {});
        await deleteUpload(database, id);
        throw error;
      }
    },

    /** Returns the progress of an upload. For an upload that has become an attachment: its full size, without a name. */
    async progressOf(id: string): Promise<{ size: number; offset: number; name?: string }> {
      const upload = await findUpload(database, id);
      const size = upload ? upload.size : await findFinishedSize(database, id);
      const offset = upload ? await storage.sizeOf(id) : size;
      if (size === null || offset === null) throw fail(uploadErrors.notFound);
      return { size, offset, ...(upload && { name: upload.name }) };
    },

    /** Appends the request body and returns the new size. The body is discarded if the upload is closed for writing. */
    async append(id: string, offset: number, request: IncomingMessage): Promise<number> {
      const upload = await claimUpload(database, id, processId, new Date(now()));
      if (!upload) {
        request.resume();
        return offset;
      }
      const written = write(upload, offset, request);
      writing.add(written);
      return written.finally(() => writing.delete(written));
    },

    async remove(id: string): Promise<void> {
      hashes.delete(id);
      await storage.remove(id);
      await deleteUpload(database, id);
    },

    /** Returns the hash of the complete upload; null if this process did not receive all bytes. */
    hashOf({ id, size }: UploadRow): Buffer | null {
      const running = hashes.get(id);
      return running?.at === size ? running.hash.copy().digest() : null;
    },

    forgetHash(id: string): void {
      hashes.delete(id);
    },

    async settled(): Promise<void> {
      await Promise.allSettled(writing);
    },
  };
}
