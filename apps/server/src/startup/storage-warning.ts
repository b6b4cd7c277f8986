/** Warns about a file storage that refuses access when the server starts, without delaying the start. */
import { randomUUID } from 'node:crypto';
import { StorageError, type FileStorage } from '../platform/storage/storage.ts';

/** Returns null if the storage can be read. */
export async function findStorageProblem(storage: Pick<FileStorage, 'read'>): Promise<string | null> {
  try {
    // A GET, because responses to HEAD have no reason.
    await storage.read(randomUUID());
    return null;
  } catch (error) {
    const cause = error instanceof StorageError ? error.cause : error;
    const { name, code, message } = cause as Error & { code?: string };
    // S3's response for a missing file if the key may not list the bucket, as is usual.
    if (name === 'AccessDenied') return null;
    return `Files cannot be stored or read (${code ?? name}: ${message.split('\n', 1)[0]}). Correct ATTACHMENT_STORAGE, ATTACHMENT_STORAGE_KEY_ID and ATTACHMENT_STORAGE_KEY, or make the storage available.`;
  }
}
