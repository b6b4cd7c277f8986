/**
 * Storage of file contents. Implementations handle ids and bytes only, neither names nor people. Files are written
 * sequentially and then sealed; later writes by other processes do not affect a sealed file.
 */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

export type ByteRange = { start: number; /** Inclusive. */ end: number };

/** Complete file, protected from its writers. It is read through this object until it is published. */
export type SealedFile = {
  read(range?: ByteRange): Promise<Readable | null>;
  /** Makes the file available to the storage's `read`, durably. Only one caller may do this. */
  publish(): Promise<void>;
  /** Deletes the file if it is a copy. Called if another caller has published the file. */
  discard(): Promise<void>;
};

export type FileStorage = {
  /** Creates an empty file for `size` bytes. */
  create(id: string, size: number): Promise<void>;
  /**
   * Appends at `offset`, the current end of the file. Received data is kept if `bytes` breaks off. Errors of every
   * implementation are StorageErrors.
   */
  append(id: string, offset: number, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Returns the stored size in bytes; null if the file was deleted. */
  sizeOf(id: string): Promise<number | null>;
  /**
   * Seals a file that has no further appends. `hasOtherWriters`: other processes have appended to it and may have it open.
   * Returns null if the file was deleted.
   */
  seal(id: string, hasOtherWriters: boolean): Promise<SealedFile | null>;
  /** Reads a published file; null if it was deleted. The storage may send fewer bytes than requested, so callers must count the bytes. */
  read(id: string, range?: ByteRange): Promise<Readable | null>;
  /** Does nothing if the file was deleted already. */
  remove(id: string): Promise<void>;
};

/** The storage is unreachable (`unavailable`) or out of space (`full`). The request itself is valid. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly reason: 'unavailable' | 'full';
  constructor(reason: 'unavailable' | 'full', cause: unknown) {
    super(`the file storage is ${reason}`, { cause });
    this.reason = reason;
  }
}

/** Reports errors of the storage's client as StorageErrors. */
export async function withStorageErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StorageError ? error : new StorageError('unavailable', error);
  }
}

export async function sha256Of(bytes: Readable): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const piece of bytes) hash.update(piece as Uint8Array);
  return hash.digest();
}

/** Seals a file in a storage that accepts no data beyond the announced size: nothing has to be done. */
export const sealedInPlace = (read: SealedFile['read']): SealedFile => ({
  read,
  publish: () => Promise.resolve(),
  discard: () => Promise.resolve(),
});
