/** Files in S3-compatible storage, against a small server that speaks so much of its protocol (K7). */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCloudStorage, openBucket } from './cloud-storage.ts';
import { StorageError, type FileStorage } from './storage.ts';

type Stored = { bytes: Buffer; metadata: Record<string, string> };

/** Objects, multipart uploads and ranges; signatures are not looked at. */
function createFakeS3() {
  const objects = new Map<string, Stored>();
  const uploads = new Map<string, { key: string; parts: Map<number, Buffer> }>();
  let isDown = false;

  const answer = (
    response: ServerResponse,
    status: number,
    body = '',
    headers: Record<string, string> = {},
  ) => response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(body);
  const gone = (response: ServerResponse, code: string) =>
    answer(response, 404, `<Error><Code>${code}</Code><Message>gone</Message></Error>`);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
    const query = url.searchParams;
    const body = unchunked(request, await buffer(request));
    if (isDown) return answer(response, 503, '<Error><Code>SlowDown</Code></Error>');
    const uploadId = query.get('uploadId');
    const upload = uploadId === null ? undefined : uploads.get(uploadId);
    if (uploadId !== null && !upload) return gone(response, 'NoSuchUpload');

    if (request.method === 'POST' && query.has('uploads')) {
      const id = String(uploads.size + 1);
      uploads.set(id, { key, parts: new Map() });
      return answer(
        response,
        200,
        `<InitiateMultipartUploadResult><Key>${key}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (request.method === 'PUT' && upload) {
      upload.parts.set(Number(query.get('partNumber')), body);
      return answer(response, 200, '', { etag: etagOf(body) });
    }
    if (request.method === 'GET' && upload) {
      const parts = [...upload.parts]
        .toSorted(([one], [other]) => one - other)
        .map(
          ([number, { length }]) =>
            `<Part><PartNumber>${number}</PartNumber><ETag>x</ETag><Size>${length}</Size></Part>`,
        );
      return answer(
        response,
        200,
        `<ListPartsResult><IsTruncated>false</IsTruncated>${parts.join('')}</ListPartsResult>`,
      );
    }
    if (request.method === 'POST' && upload && uploadId !== null) {
      const parts = [...upload.parts].toSorted(([one], [other]) => one - other).map(([, bytes]) => bytes);
      objects.set(key, { bytes: Buffer.concat(parts), metadata: {} });
      uploads.delete(uploadId);
      return answer(
        response,
        200,
        `<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>`,
      );
    }
    if (request.method === 'DELETE' && uploadId !== null) {
      uploads.delete(uploadId);
      return answer(response, 204);
    }
    if (request.method === 'POST' && query.has('delete')) {
      for (const [, name = ''] of body.toString().matchAll(/<Key>([^<]+)<\/Key>/g)) objects.delete(name);
      return answer(response, 200, '<DeleteResult></DeleteResult>');
    }
    if (request.method === 'PUT') {
      const metadata = Object.entries(request.headers).filter(([name]) => name.startsWith('x-amz-meta-'));
      objects.set(key, { bytes: body, metadata: Object.fromEntries(metadata) as Record<string, string> });
      return answer(response, 200, '', { etag: etagOf(body) });
    }
    if (request.method === 'DELETE') {
      objects.delete(key);
      return answer(response, 204);
    }
    const object = objects.get(key);
    if (!object)
      return request.method === 'HEAD' ? response.writeHead(404).end() : gone(response, 'NoSuchKey');
    const [, start = '0', end = ''] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const bytes = object.bytes.subarray(Number(start), end === '' ? undefined : Number(end) + 1);
    response.writeHead(request.headers.range === undefined ? 200 : 206, {
      'content-length': bytes.length,
      etag: etagOf(object.bytes),
      ...object.metadata,
    });
    return response.end(request.method === 'HEAD' ? undefined : bytes);
  }

  const server = createServer((request, response) => void handle(request, response));
  return {
    server,
    objects,
    fail: (down: boolean) => {
      isDown = down;
    },
  };
}

const etagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`;

/** The SDK sends streams in signed chunks: length;signature CRLF bytes CRLF. */
function unchunked({ headers }: IncomingMessage, body: Buffer): Buffer {
  if (!String(headers['content-encoding']).includes('aws-chunked')) return body;
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const lineEnd = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    if (!(length > 0)) break;
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
  return Buffer.concat(chunks);
}

const fake = createFakeS3();
let storage: FileStorage;
beforeAll(async () => {
  await new Promise<void>((resolve) => fake.server.listen(0, '127.0.0.1', resolve));
  const { port } = fake.server.address() as AddressInfo;
  const endpoint = encodeURIComponent(`http://127.0.0.1:${port}`);
  storage = createCloudStorage(
    await openBucket({ url: new URL(`s3://files?endpoint=${endpoint}`), keyId: 'id', key: 'key' }),
  );
});
afterAll(() => fake.server.close());

const idOf = (number: number) => `0192f0c1-2345-7abc-8def-${String(number).padStart(12, '0')}`;
async function* pieces(bytes: Buffer, breakAfter = Infinity): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 64 * 1024) {
    if (at >= breakAfter) throw new Error('the connection was lost');
    yield bytes.subarray(at, at + 64 * 1024);
  }
}
async function contentsOf(id: string, range?: { start: number; end: number }): Promise<Buffer | null> {
  const stream = await storage.read(id, range);
  return stream && buffer(stream);
}

test('a file of several parts, whole and in part, until it is removed', async () => {
  const bytes = randomBytes(12 * 1024 * 1024);
  await storage.create(idOf(1), bytes.length);
  expect(await storage.sizeOf(idOf(1))).toBe(0);
  await storage.append(idOf(1), 0, pieces(bytes));
  expect(await storage.sizeOf(idOf(1))).toBe(bytes.length);
  expect((await contentsOf(idOf(1)))?.equals(bytes)).toBe(true);
  expect(await contentsOf(idOf(1), { start: 5, end: 9 })).toEqual(bytes.subarray(5, 10));
  await storage.remove(idOf(1));
  expect(await storage.sizeOf(idOf(1))).toBe(null);
  expect(await contentsOf(idOf(1))).toBe(null);
  await storage.remove(idOf(1));
});

test('what arrived before the connection was lost is kept, and the file goes on there', async () => {
  const bytes = randomBytes(7 * 1024 * 1024);
  await storage.create(idOf(2), bytes.length);
  await expect(storage.append(idOf(2), 0, pieces(bytes, 6 * 1024 * 1024))).rejects.toThrow(
    'the connection was lost',
  );
  const size = (await storage.sizeOf(idOf(2))) as number;
  expect(size).toBe(6 * 1024 * 1024);
  await storage.append(idOf(2), size, pieces(bytes.subarray(size)));
  expect((await contentsOf(idOf(2)))?.equals(bytes)).toBe(true);
});

test('an empty file is a file', async () => {
  await storage.create(idOf(3), 0);
  expect(await storage.sizeOf(idOf(3))).toBe(0);
  expect(await contentsOf(idOf(3))).toEqual(Buffer.alloc(0));
});

test('storage that does not answer is said to be unavailable', { timeout: 30_000 }, async () => {
  fake.fail(true);
  await expect(storage.create(idOf(4), 1)).rejects.toThrow(StorageError);
  await expect(storage.read(idOf(2))).rejects.toMatchObject({ reason: 'unavailable' });
  fake.fail(false);
});
