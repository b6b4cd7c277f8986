/** Writes a ZIP archive as a stream. Node compresses, outside the event loop; fflate writes the container. */
import { crc32, createDeflateRaw } from 'node:zlib';
import { Zip, type ZipInputFile } from 'fflate';

type Content = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** `stored` is for content that is already compressed. The archive and each entry must be below 4 GB: the format counts in 32 bits. */
export type ZipEntry = { name: string; content: Content; stored?: boolean };

const methods = { stored: 0, deflate: 8 };

/** Reads entries one after the other, each when the previous one has been consumed. */
export async function* zipFile(entries: ZipEntry[]): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  const take = () => {
    const chunks = ready;
    ready = [];
    return chunks;
  };
  const archive = new Zip((error, chunk) => {
    if (error) throw error;
    ready.push(chunk);
  });
  for (const { name, content, stored } of entries) {
    const entry: ZipInputFile = {
      filename: name,
      compression: stored ? methods.stored : methods.deflate,
      size: 0,
      crc: 0,
    };
    archive.add(entry);
    const counted = count(content, entry);
    for await (const chunk of stored ? counted : deflate(counted)) {
      entry.ondata?.(null, chunk as Uint8Array<ArrayBuffer>, false);
      yield* take();
    }
    entry.ondata?.(null, new Uint8Array(0), true);
    yield* take();
  }
  archive.end();
  yield* take();
}

/** Yields the content in bytes, and records its size and checksum. */
async function* count(content: Content, entry: ZipInputFile): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    entry.size += bytes.length;
    entry.crc = crc32(bytes, entry.crc);
    yield bytes;
  }
}

async function* deflate(content: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const deflated = createDeflateRaw({ level: 3 });
  async function writeChunks(): Promise<void> {
    for await (const bytes of content)
      await new Promise<void>((resolve, reject) => {
        deflated.write(bytes, (error) => (error ? reject(error) : resolve()));
      });
    deflated.end();
  }
  // An error of the content destroys `deflated`, so that the loop below throws it.
  writeChunks().catch((error: unknown) => deflated.destroy(error as Error));
  try {
    yield* deflated as AsyncIterable<Uint8Array>;
  } finally {
    await content.return(undefined);
  }
}
