/**
 * Files in a directory, under their ids: no name that somebody chose ever reaches the disk. What is still arriving is called
 * `<id>.part`. Whoever has opened it can write into it whatever it is called later: where that may be another process, a
 * file is published as a copy that nobody else has ever opened.
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

const readAtOnce = 256 * 1024;

/** Stands in the directory, so that the empty place of a mount that is gone is not taken for a storage without files. */
const markName = 'these-are-the-files-of-vestibule';

/** Makes the directory where it is not there yet. */
export async function prepareDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(path.join(directory, markName), '');
}

export function createDiskStorage(directory: string): FileStorage {
  /** A file that is not there is gone, unless the whole storage is. */
  async function nullIfGone(error: NodeJS.ErrnoException): Promise<null> {
    if (error.code !== 'ENOENT') throw error;
    await access(path.join(directory, markName));
    return null;
  }

  /** Two levels of folders by the id's last digits, which are random: 65,536 folders share the files. */
  const fileOf = (id: string) => path.join(directory, id.slice(-2), id.slice(-4, -2), id);
  const partOf = (id: string) => `${fileOf(id)}.part`;
  const asideOf = (id: string) => path.join(directory, 'quarantine', id);

  function readFrom(file: string, range?: ByteRange): Promise<Readable | null> {
    return naming(async () => {
      const opened = await open(file, 'r').catch(nullIfGone);
      return opened && opened.createReadStream({ highWaterMark: readAtOnce, ...range });
    });
  }

  /** `source` is a file that no other process has open for writing. */
  function sealed(id: string, source: string): SealedFile {
    const final = fileOf(id);
    return {
      read: (range) => readFrom(source, range),
      publish: () =>
        naming(async () => {
          if (source === final) return;
          await rename(source, final);
          await rm(partOf(id), { force: true });
          await syncFolder(path.dirname(final));
        }),
      discard: () =>
        naming(async () => {
          if (source !== final && source !== partOf(id)) await rm(source, { force: true });
        }),
    };
  }

  return {
    async create(id) {
      await naming(async () => {
        const folder = path.dirname(fileOf(id));
        await access(path.join(directory, markName));
        await makeFolder(path.dirname(folder));
        await makeFolder(folder);
        await (await open(partOf(id), 'wx', 0o600)).close();
      });
    },

    append: (id, offset, bytes) =>
      naming(async () => {
        const file = await open(partOf(id), 'r+');
        try {
          await writeAll(file, offset, bytes);
        } finally {
          await file.close();
        }
      }),

    async sizeOf(id) {
      return naming(async () => {
        const found =
          (await stat(fileOf(id)).catch(nullIfGone)) ?? (await stat(partOf(id)).catch(nullIfGone));
        return found?.size ?? null;
      });
    },

    async seal(id, byOthers) {
      return naming(async () => {
        const part = partOf(id);
        // It was published, and the one who did it could not tell anybody.
        if ((await stat(part).catch(nullIfGone)) === null)
          return (await stat(fileOf(id)).catch(nullIfGone)) && sealed(id, fileOf(id));
        if (!byOthers) {
          await syncFile(part);
          return sealed(id, part);
        }
        const copy = `${fileOf(id)}.${randomUUID()}`;
        // Costs nothing where the file system can share the blocks of two files.
        await copyFile(part, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
        await syncFile(copy);
        return sealed(id, copy);
      });
    },

    read: (id, range) => readFrom(fileOf(id), range),

    async setAside(id) {
      await naming(async () => {
        await makeFolder(path.dirname(asideOf(id)));
        await rename(fileOf(id), asideOf(id)).catch(nullIfGone);
      });
    },

    async remove(id) {
      await naming(async () => {
        await access(path.join(directory, markName));
        await rm(asideOf(id), { force: true });
        const folder = path.dirname(fileOf(id));
        const names = (await readdir(folder).catch(nullIfGone)) ?? [];
        for (const name of names.filter((one) => one.startsWith(id)))
          await rm(path.join(folder, name), { force: true });
      });
    },
  };
}

/** While one piece is written, the next arrives. */
async function writeAll(file: FileHandle, offset: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let position = offset;
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const piece of bytes) {
      await writing;
      writing = writePiece(file, piece, position);
      // Awaited with the next piece, or at the end.
      writing.catch(() => {});
      position += piece.length;
    }
  } finally {
    await writing;
  }
}

async function writePiece(file: FileHandle, piece: Uint8Array, at: number): Promise<void> {
  // A disk that fills up takes a part first and says so when it is asked to take the rest.
  for (let done = 0; done < piece.length;)
    done += (await file.write(piece, done, piece.length - done, at + done)).bytesWritten;
}

/** What was written survives a loss of power. */
async function syncFile(name: string): Promise<void> {
  const file = await open(name, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** What was renamed in a folder survives a loss of power. Windows syncs no folders, and writes their changes to a journal. */
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
