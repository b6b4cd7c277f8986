/** A ZIP archive as a stream. Compression is Node's own, which works beside the event loop; the archive's frame is fflate's. */
import { crc32, createDeflateRaw, type DeflateRaw } from 'node:zlib';
import { Zip, type ZipInputFile } from 'fflate';

export type ZipEntry = { name: string; content: Iterable<string> | AsyncIterable<string> };

const deflate = 8;

/** Entries are read one after the other, each when the one before has been taken. */
export async function* zipFile(entries: ZipEntry[]): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  const take = () => {
    const taken = ready;
    ready = [];
    return taken;
  };
  const archive = new Zip((error, chunk) => {
    if (error) throw error;
    ready.push(chunk);
  });
  for (const { name, content } of entries) {
    const entry: ZipInputFile = { filename: name, compression: deflate, size: 0, crc: 0 };
    archive.add(entry);
    const deflated = createDeflateRaw({ level: 3 });
    // An error of the content destroys `deflated` with it, so that it is thrown by the loop.
    feed(deflated, content, entry).catch((error: unknown) => deflated.destroy(error as Error));
    for await (const chunk of deflated) {
      entry.ondata?.(null, chunk as Uint8Array<ArrayBuffer>, false);
      yield* take();
    }
    entry.ondata?.(null, new Uint8Array(0), true);
    yield* take();
  }
  archive.end();
  yield* take();
}

const memorySize = 512 * 1024;

/**
 * Compresses the content and notes its size and checksum. The texts are encoded into one piece of memory, which is used
 * again as soon as it is compressed: new buffers for each would pile up until the garbage collector sees to them.
 */
async function feed(deflated: DeflateRaw, content: ZipEntry['content'], entry: ZipInputFile): Promise<void> {
  const memory = Buffer.allocUnsafeSlow(memorySize);
  let used = 0;
  async function compress(bytes: Uint8Array): Promise<void> {
    entry.size += bytes.length;
    entry.crc = crc32(bytes, entry.crc);
    await new Promise<void>((resolve, reject) => {
      deflated.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }
  for await (const text of content) {
    // The most that a text can take in UTF-8.
    if (used + text.length * 3 > memorySize) {
      await compress(memory.subarray(0, used));
      used = 0;
    }
    if (text.length * 3 > memorySize) await compress(Buffer.from(text));
    else used += memory.write(text, used);
  }
  await compress(memory.subarray(0, used));
  deflated.end();
}
