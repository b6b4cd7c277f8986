/** A ZIP archive as a stream. Compression is Node's own, which works beside the event loop; the archive's frame is fflate's. */
import { crc32, createDeflateRaw } from 'node:zlib';
import { Zip, type ZipInputFile } from 'fflate';

type Content = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** `stored` for what is compressed already. The archive and each entry stay below 4 GB: the format counts in 32 bits. */
export type ZipEntry = { name: string; content: Content; stored?: boolean };

const methods = { stored: 0, deflate: 8 };

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

const memorySize = 512 * 1024;

/**
 * The content in bytes; notes its size and checksum. Texts are encoded into one piece of memory, which is used again as
 * soon as whoever took it asks for more: new buffers for each would pile up until the garbage collector sees to them.
 */
async function* count(content: Content, entry: ZipInputFile): AsyncGenerator<Uint8Array> {
  let memory: Buffer | undefined;
  let used = 0;
  const note = (bytes: Uint8Array) => {
    entry.size += bytes.length;
    entry.crc = crc32(bytes, entry.crc);
    return bytes;
  };
  for await (const piece of content) {
    const text = typeof piece === 'string' ? piece : null;
    // The most that a text can take in UTF-8.
    const most = text === null ? memorySize : text.length * 3;
    if (memory && used > 0 && used + most > memorySize) {
      yield note(memory.subarray(0, used));
      used = 0;
    }
    if (text === null) yield note(piece as Uint8Array);
    else if (most > memorySize) yield note(Buffer.from(text));
    else {
      memory ??= Buffer.allocUnsafeSlow(memorySize);
      used += memory.write(text, used);
    }
  }
  if (memory && used > 0) yield note(memory.subarray(0, used));
}

async function* deflate(content: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const deflated = createDeflateRaw({ level: 3 });
  async function feed(): Promise<void> {
    for await (const bytes of content)
      await new Promise<void>((resolve, reject) => {
        deflated.write(bytes, (error) => (error ? reject(error) : resolve()));
      });
    deflated.end();
  }
  // An error of the content destroys `deflated` with it, so that it is thrown by the loop.
  feed().catch((error: unknown) => deflated.destroy(error as Error));
  try {
    yield* deflated as AsyncIterable<Uint8Array>;
  } finally {
    await content.return(undefined);
  }
}
