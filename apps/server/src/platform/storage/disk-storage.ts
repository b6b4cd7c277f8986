/**
 * Files in a directory, named by id: user-supplied names never reach the disk. An incomplete file is named `<id>.part`. A process that has
 * opened a file can write to it even after it is renamed. So if another process may have opened it, a copy is published.
 */
import { randomUUID } from 'node:crypto';
import {
  access,
  constants,
  copyFile,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { StorageError, type ByteRange, type FileStorage, type SealedFile } from './storage.ts';
import { createTimeLimit, limitIdleTime, storageTimeLimits } from './time-limits.ts';

const readChunkBytes = 256 * 1024;

/** Marker file: without it, the empty directory of a missing mount would look like an empty storage. */
const markerFileName = 'these-are-the-files-of-vestibule';

/** Creates the directory if it is missing. */
export async function prepareDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(path.join(directory, markerFileName), '');
}

export function createDiskStorage(directory: string): FileStorage {
  const { callMs, sealMs, idleMs } = storageTimeLimits;
  const within = createTimeLimit();
  const limited = <Result>(work: () => Promise<Result>) => naming(() => within(callMs, work));
  /** For calls that flush or copy a whole file. */
  const limitedBySize = <Result>(work: () => Promise<Result>) => naming(() => within(sealMs, work));

  /** Treats a missing file as deleted, unless the whole storage is missing. */
  async function nullIfNotFound(error: NodeJS.ErrnoException): Promise<null> {
    if (error.code !== 'ENOENT') throw error;
    await access(path.join(directory, markerFileName));
    return null;
  }

  /** Two levels of folders by the last digits of the id, which are random: 65,536 folders. */
  const fileOf = (id: string) => path.join(directory, id.slice(-2), id.slice(-4, -2), id);
  const partOf = (id: string) => `${fileOf(id)}.part`;

  const readFrom = (file: string, range?: ByteRange): Promise<Readable | null> =>
    naming(async () => {
      const opened = await within(
        callMs,
        () => open(file, 'r').catch(nullIfNotFound),
        (late) => late?.close(),
      );
      const stream = opened?.createReadStream({ highWaterMark: readChunkBytes, ...range });
      return stream ? limitIdleTime(stream, idleMs) : null;
    });

  /** `source` is a file that no other process has open for writing. */
  function sealed(id: string, source: string): SealedFile {
    const final = fileOf(id);
    return {
      read: (range) => readFrom(source, range),
      publish: () =>
        limitedBySize(async () => {
          if (source === final) return;
          await rename(source, final);
          await rm(partOf(id), { force: true });
          await syncFolder(path.dirname(final));
        }),
      discard: () =>
        limited(async () => {
          if (source !== final && source !== partOf(id)) await rm(source, { force: true });
        }),
    };
  }

  return {
    async create(id) {
      await limited(async () => {
        const folder = path.dirname(fileOf(id));
        await access(path.join(directory, markerFileName));
        await makeFolder(path.dirname(folder));
        await makeFolder(folder);
        await (await open(partOf(id), 'wx', 0o600)).close();
      });
    },

    append: (id, offset, bytes) =>
      naming(async () => {
        const file = await within(
          callMs,
          () => open(partOf(id), 'r+'),
          (late) => late.close(),
        );
        try {
          await writeAll(file, offset, bytes, (work) => within(callMs, work));
        } finally {
          await within(callMs, () => file.close());
        }
      }),

    sizeOf: async (id) =>
      limited(async () => {
        const found =
          (await stat(fileOf(id)).catch(nullIfNotFound)) ?? (await stat(partOf(id)).catch(nullIfNotFound));
        return found?.size ?? null;
      }),

    seal: (id, hasOtherWriters) =>
      limitedBySize(async () => {
        const part = partOf(id);
        // Another process published it and failed before recording that.
        if ((await stat(part).catch(nullIfNotFound)) === null)
          return (await stat(fileOf(id)).catch(nullIfNotFound)) && sealed(id, fileOf(id));
        if (!hasOtherWriters) {
          await syncFile(part);
          return sealed(id, part);
        }
        const copy = `${fileOf(id)}.${randomUUID()}`;
        // Free on file systems that can share blocks between files.
        await copyFile(part, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
        await syncFile(copy);
        return sealed(id, copy);
      }),

    read: (id, range) => readFrom(fileOf(id), range),

    async remove(id) {
      await limited(async () => {
        await access(path.join(directory, markerFileName));
        // Version 1.0.0 moved infected files there.
        await rm(path.join(directory, 'quarantine', id), { force: true });
        const folder = path.dirname(fileOf(id));
        const names = (await readdir(folder).catch(nullIfNotFound)) ?? [];
        for (const name of names.filter((one) => one.startsWith(id)))
          await rm(path.join(folder, name), { force: true });
      });
    },
  };
}

/** Receives the next piece while one is written. */
async function writeAll(
  file: FileHandle,
  offset: number,
  bytes: AsyncIterable<Uint8Array>,
  limited: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  let position = offset;
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const piece of bytes) {
      await writing;
      const at = position;
      writing = limited(() => writePiece(file, piece, at));
      // Awaited with the next piece, or at the end.
      writing.catch(() => {});
      position += piece.length;
    }
  } finally {
    await writing;
  }
}

async function writePiece(file: FileHandle, piece: Uint8Array, at: number): Promise<void> {
  // A full disk writes part of the data first and reports the error on the next write.
  for (let done = 0; done < piece.length;)
    done += (await file.write(piece, done, piece.length - done, at + done)).bytesWritten;
}

/** Syncs written data to disk. */
async function syncFile(name: string): Promise<void> {
  const file = await open(name, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Syncs renames in a folder to disk. Windows cannot sync folders; its journal covers the changes. */
async function syncFolder(name: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(name, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const unavailableCodes = new Set([
  'EIO',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'EROFS',
  'ESTALE',
  'ENODEV',
  'ENXIO',
  'EMFILE',
  'ENFILE',
  'ETIMEDOUT',
  'ENOENT',
]);

async function naming<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (fullCodes.has(code)) throw new StorageError('full', error);
    if (unavailableCodes.has(code)) throw new StorageError('unavailable', error);
    throw error;
  }
}
