/**
 * Where the bytes of files are: whoever implements this knows ids and bytes, and neither names nor people. Files are
 * written from their beginning to their end and sealed then; from that moment on nothing that anybody still writes reaches them.
 */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

export type ByteRange = { start: number; /** Inclusive. */ end: number };

/** All of a file, out of the reach of whoever has written it. It is read in this form until it is published. */
export type SealedFile = {
  read(range?: ByteRange): Promise<Readable | null>;
  /** Makes it the file that `read` of the storage gives; it survives a loss of power. For one caller only. */
  publish(): Promise<void>;
  /** Somebody else has published the file. */
  discard(): Promise<void>;
};

export type FileStorage = {
  /** Makes an empty file that will have `size` bytes. */
  create(id: string, size: number): Promise<void>;
  /**
   * Appends at `offset`, which is where the file ends. What arrived is kept, also when `bytes` break off. The errors are
   * of this storage, whatever kind it is: StorageError.
   */
  append(id: string, offset: number, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** How many bytes are there; null when the file is gone. */
  sizeOf(id: string): Promise<number | null>;
  /**
   * Seals a file that nobody begins to append to any more. `byOthers`: other processes have appended to it and may hold it
   * open. Null when it is gone.
   */
  seal(id: string, byOthers: boolean): Promise<SealedFile | null>;
  /** A published file. Null when it is gone. The storage may send fewer bytes than were asked for: whoever reads counts. */
  read(id: string, range?: ByteRange): Promise<Readable | null>;
  /** Puts an infected file where nobody takes it for a good one. */
  setAside(id: string): Promise<void>;
  /** Nothing happens when it is gone already. */
  remove(id: string): Promise<void>;
};

/** The storage cannot be reached (`unavailable`) or has no space left (`full`). Nothing is wrong with the request. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly reason: 'unavailable' | 'full';
  constructor(reason: 'unavailable' | 'full', cause: unknown) {
    super(`the file storage is ${reason}`, { cause });
    this.reason = reason;
  }
}

export async function sha256Of(bytes: Readable): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const piece of bytes) hash.update(piece as Uint8Array);
  return hash.digest();
}

/** Of a storage that itself takes no more once all of a file is there. */
export function sealedInPlace(read: SealedFile['read']): SealedFile {
  return { read, publish: () => Promise.resolve(), discard: () => Promise.resolve() };
}
