/** A ZIP archive as a stream. Compression is Node's own, which works beside the event loop; the archive's frame is fflate's. */
import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';
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
    pipeline(Readable.from(measured(content, entry), { highWaterMark: 1 }), deflated, () => {});
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

/** Notes size and checksum of what passes. */
async function* measured(content: ZipEntry['content'], entry: ZipInputFile): AsyncGenerator<Buffer> {
  for await (const text of content) {
    const bytes = Buffer.from(text);
    entry.size += bytes.length;
    entry.crc = crc32(bytes, entry.crc);
    yield bytes;
  }
}
