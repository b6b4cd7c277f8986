/** Files in a directory, under their ids: no name that somebody chose ever reaches the disk. */
import { access, mkdir, open, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { StorageError, type FileStorage } from './storage.ts';

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
  const asideOf = (id: string) => path.join(directory, 'quarantine', id);

  return {
    async create(id) {
      await naming(async () => {
        const folder = path.dirname(fileOf(id));
        await access(path.join(directory, markName));
        await makeFolder(path.dirname(folder));
        await makeFolder(folder);
        await (await open(fileOf(id), 'wx', 0o600)).close();
      });
    },

    append: (id, offset, bytes) =>
      naming(async () => {
        const file = await open(fileOf(id), 'r+');
        try {
          await writeAll(file, offset, bytes);
        } finally {
          await file.close();
        }
      }),

    async sizeOf(id) {
      return naming(async () => (await stat(fileOf(id)).catch(nullIfGone))?.size ?? null);
    },

    async complete(id) {
      await naming(async () => {
        const file = await open(fileOf(id), 'r+');
        try {
          await file.datasync();
        } finally {
          await file.close();
        }
      });
    },

    async read(id, range) {
      return naming(async () => {
        const file = await open(fileOf(id), 'r').catch(nullIfGone);
        return file && file.createReadStream({ highWaterMark: readAtOnce, ...range });
      });
    },

    async setAside(id) {
      await naming(async () => {
        await makeFolder(path.dirname(asideOf(id)));
        await rename(fileOf(id), asideOf(id)).catch(nullIfGone);
      });
    },

    async remove(id) {
      await naming(async () => {
        await access(path.join(directory, markName));
        await rm(fileOf(id), { force: true });
        await rm(asideOf(id), { force: true });
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
