/**
 * The backup file format: entries, each a JSON header followed by bytes, compressed with Zstandard and encrypted as an
 * age file (https://age-encryption.org/v1). The passphrase is derived from SECRET. Truncation and alteration are
 * detected before the last entry is accepted.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { Decrypter, Encrypter } from 'age-encryption';
import type { Secrets } from '../config/site-key.ts';
import { StartUpError } from '../config/start-up-error.ts';

export type BackupEntry<Header> = { header: Header; bytes: AsyncIterable<Uint8Array> };

const lengthBytes = 4;
const maxFrameBytes = 64 * 1024 * 1024;
/** Low, because the passphrase is as random as SECRET: slow key derivation only protects guessable words. */
const scryptWorkFactor = 10;

/** Returns the passphrase for `age --decrypt`. */
export const backupPassphrase = (secret: Buffer): string =>
  createHmac('sha256', secret).update('vestibule backup').digest('base64url');

/** Writes the file atomically with mode 0600. Throws a StartUpError if the file exists. */
export async function writeBackupFile<Header>(
  file: string,
  secret: Buffer,
  entries: AsyncIterable<BackupEntry<Header>>,
): Promise<void> {
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(scryptWorkFactor);
  encrypter.setPassphrase(backupPassphrase(secret));
  const unfinished = `${file}.${randomBytes(4).toString('hex')}.partial`;
  await requireNewFile(file, unfinished);
  try {
    const compressed = Readable.from(writeFrames(entries), { objectMode: false }).compose(
      createZstdCompress(),
    );
    const encrypted = await encrypter.encrypt(Readable.toWeb(compressed) as ReadableStream<Uint8Array>);
    await pipeline(Readable.fromWeb(encrypted), createWriteStream(unfinished, { mode: 0o600, flush: true }));
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Reads the entries in order. The bytes of an entry must be read or skipped before the next. Throws StartUpErrors. */
export async function* readBackupFile<Header>(
  file: string,
  { current, previous }: Secrets,
): AsyncGenerator<BackupEntry<Header>, void, undefined> {
  const decrypter = new Decrypter();
  for (const secret of [current, previous]) if (secret) decrypter.addPassphrase(backupPassphrase(secret));
  const source = createReadStream(file);
  try {
    const decrypted = await decrypter.decrypt(Readable.toWeb(source) as ReadableStream<Uint8Array>);
    const reader = new FrameReader(Readable.fromWeb(decrypted).compose(createZstdDecompress()));
    for (let head = await reader.next(); head; head = await reader.next()) {
      const bytes = reader.entry();
      yield { header: JSON.parse(head.toString('utf8')) as Header, bytes };
      await reader.skipEntry();
    }
  } catch (cause) {
    throw asStartUpError(cause, file);
  } finally {
    source.destroy();
  }
}

async function requireNewFile(file: string, unfinished: string): Promise<void> {
  try {
    await (await open(file, 'r')).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    try {
      await (await open(unfinished, 'wx', 0o600)).close();
      return;
    } catch (cause) {
      throw new StartUpError(
        `${file} cannot be written. Choose a file in an existing directory that this user can write to.`,
        { cause },
      );
    }
  }
  throw new StartUpError(`${path.basename(file)} already exists. Choose another name.`);
}

async function* writeFrames<Header>(entries: AsyncIterable<BackupEntry<Header>>): AsyncGenerator<Buffer> {
  for await (const { header, bytes } of entries) {
    yield* createFrame(Buffer.from(JSON.stringify(header)));
    for await (const piece of bytes) if (piece.length > 0) yield* createFrame(piece);
    yield* createFrame(Buffer.alloc(0));
  }
}

function createFrame(bytes: Uint8Array): Buffer[] {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(bytes.length);
  return bytes.length === 0
    ? [length]
    : [length, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)];
}

class FrameReader {
  readonly #source: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);
  #isInEntry = false;

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns null at the end of the file. */
  async next(): Promise<Buffer | null> {
    const length = await this.#take(lengthBytes, true);
    if (length === null) return null;
    const size = length.readUInt32BE();
    if (size > maxFrameBytes) throw new Error('a frame is too long');
    return this.#take(size, false);
  }

  /** Yields the bytes up to the empty frame that ends the entry. */
  entry(): AsyncGenerator<Buffer, void, undefined> {
    this.#isInEntry = true;
    return this.#rest();
  }

  async *#rest(): AsyncGenerator<Buffer, void, undefined> {
    for (let bytes = await this.#more(); bytes; bytes = await this.#more()) yield bytes;
  }

  /** Skips the unread bytes of an entry. */
  async skipEntry(): Promise<void> {
    while (await this.#more());
  }

  async #more(): Promise<Buffer | null> {
    if (!this.#isInEntry) return null;
    const bytes = await this.next();
    this.#isInEntry = bytes !== null && bytes.length > 0;
    return this.#isInEntry ? bytes : null;
  }

  async #take(size: number, allowsEnd: boolean): Promise<Buffer | null> {
    const pieces = [this.#held];
    let receivedBytes = this.#held.length;
    while (receivedBytes < size) {
      const { done, value } = await this.#source.next();
      if (done) {
        if (allowsEnd && receivedBytes === 0) return null;
        throw new Error('the file ends too early');
      }
      pieces.push(value);
      receivedBytes += value.length;
    }
    const all = pieces.length === 1 ? this.#held : Buffer.concat(pieces, receivedBytes);
    this.#held = all.subarray(size);
    return all.subarray(0, size);
  }
}

function asStartUpError(cause: unknown, file: string): unknown {
  if (cause instanceof StartUpError || !(cause instanceof Error)) return cause;
  if ('code' in cause && cause.code === 'ENOENT')
    return new StartUpError(`The file ${file} does not exist.`, { cause });
  if (/no identity matched|incorrect passphrase/i.test(cause.message))
    return new StartUpError(
      `${file} was made with another SECRET. Set SECRET, or SECRET_PREVIOUS, or put the file "secret" into DATA_DIR, of the site that was backed up.`,
      { cause },
    );
  return new StartUpError(
    `${file} is not a complete backup of Vestibule: ${cause.message}. Use another copy.`,
    { cause },
  );
}
