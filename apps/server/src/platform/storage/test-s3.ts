/** Test server that implements the part of the S3 API that the storage uses. It does not verify signatures. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** Sends no response, or only the first byte of a file. */
export type Stall = 'response' | 'body' | null;

type Stored = { bytes: Buffer; metadata: Record<string, string> };

/** Supports objects, multipart uploads and range requests. */
export function createTestS3() {
  const objects = new Map<string, Stored>();
  const uploads = new Map<string, { key: string; parts: Map<number, Buffer> }>();
  let isDown = false;
  let stalls: Stall = null;

  const respond = (
    response: ServerResponse,
    status: number,
    body = '',
    headers: Record<string, string> = {},
  ) => response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(body);
  const gone = (response: ServerResponse, code: string) =>
    respond(response, 404, `<Error><Code>${code}</Code><Message>gone</Message></Error>`);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
    const query = url.searchParams;
    const body = await buffer(request);
    if (stalls === 'response') return;
    if (isDown) return respond(response, 503, '<Error><Code>SlowDown</Code></Error>');
    const uploadId = query.get('uploadId');
    const upload = uploadId === null ? undefined : uploads.get(uploadId);
    if (uploadId !== null && !upload) return gone(response, 'NoSuchUpload');

    if (request.method === 'POST' && query.has('uploads')) {
      const id = String(uploads.size + 1);
      uploads.set(id, { key, parts: new Map() });
      return respond(
        response,
        200,
        `<InitiateMultipartUploadResult><Key>${key}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (request.method === 'PUT' && upload) {
      upload.parts.set(Number(query.get('partNumber')), body);
      return respond(response, 200, '', { etag: etagOf(body) });
    }
    if (request.method === 'GET' && upload) {
      const parts = [...upload.parts]
        .toSorted(([one], [other]) => one - other)
        .map(
          ([number, { length }]) =>
            `<Part><PartNumber>${number}</PartNumber><ETag>x</ETag><Size>${length}</Size></Part>`,
        );
      return respond(
        response,
        200,
        `<ListPartsResult><IsTruncated>false</IsTruncated>${parts.join('')}</ListPartsResult>`,
      );
    }
    if (request.method === 'POST' && upload && uploadId !== null) {
      const parts = [...upload.parts].toSorted(([one], [other]) => one - other).map(([, bytes]) => bytes);
      objects.set(key, { bytes: Buffer.concat(parts), metadata: {} });
      uploads.delete(uploadId);
      return respond(
        response,
        200,
        `<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>`,
      );
    }
    if (request.method === 'DELETE' && uploadId !== null) {
      uploads.delete(uploadId);
      return respond(response, 204);
    }
    // Rejects deletion by list and checksums in trailers, which OpenStack Swift does not support.
    if (query.has('delete')) return respond(response, 400);
    if (request.headers['content-encoding']?.includes('aws-chunked')) return respond(response, 501);
    if (request.method === 'PUT') {
      const metadata = Object.entries(request.headers).filter(([name]) => name.startsWith('x-amz-meta-'));
      objects.set(key, {
        bytes: body,
        metadata: Object.fromEntries(metadata) as Record<string, string>,
      });
      return respond(response, 200, '', { etag: etagOf(body) });
    }
    if (request.method === 'DELETE') {
      objects.delete(key);
      return respond(response, 204);
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
    if (stalls === 'body' && request.method === 'GET') return response.write(bytes.subarray(0, 1));
    return response.end(request.method === 'HEAD' ? undefined : bytes);
  }

  const server = createServer((request, response) => void handle(request, response));
  return {
    server,
    /** Returns the keys of all objects. */
    keys: () => [...objects.keys()],
    fail: (down: boolean) => {
      isDown = down;
    },
    stall: (at: Stall) => {
      stalls = at;
    },
  };
}

const etagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`;
