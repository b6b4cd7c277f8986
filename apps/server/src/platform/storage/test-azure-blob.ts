/**
 * Test server that implements the part of the Azure Blob Storage API that the storage uses: append blobs of one container.
 * It does not verify signatures. https://learn.microsoft.com/rest/api/storageservices/blob-service-rest-api
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Stall } from './test-s3.ts';

export function createTestAzureBlob() {
  const blobs = new Map<string, Buffer>();
  let isDown = false;
  let stalls: Stall = null;
  let responseIsLost = false;

  const refuse = (response: ServerResponse, status: number, code: string) =>
    response
      .writeHead(status, {
        'content-type': 'application/xml',
        'x-ms-error-code': code,
      })
      .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { method, headers } = request;
    const url = new URL(request.url ?? '/', 'http://localhost');
    const [, , container, name = ''] = url.pathname.split('/');
    const body = await buffer(request);
    if (stalls === 'response') return;
    if (isDown) return refuse(response, 503, 'ServerBusy');
    if (container !== 'files') return refuse(response, 404, 'ContainerNotFound');
    const blob = blobs.get(name);
    if (method === 'PUT' && headers['x-ms-blob-type'] === 'AppendBlob') {
      if (blob && headers['if-none-match'] === '*') return refuse(response, 409, 'BlobAlreadyExists');
      blobs.set(name, Buffer.alloc(0));
      return response.writeHead(201).end();
    }
    if (!blob) return refuse(response, 404, 'BlobNotFound');
    if (method === 'PUT' && url.searchParams.get('comp') === 'appendblock') {
      if (headers['x-ms-blob-condition-appendpos'] !== String(blob.length))
        return refuse(response, 412, 'AppendPositionConditionNotMet');
      blobs.set(name, Buffer.concat([blob, body]));
      if (responseIsLost) {
        responseIsLost = false;
        return request.socket.destroy();
      }
      return response.writeHead(201).end();
    }
    if (method === 'DELETE') {
      blobs.delete(name);
      return response.writeHead(202).end();
    }
    const [, start = '0', end = ''] =
      /^bytes=(\d+)-(\d*)$/.exec(String(headers['x-ms-range'] ?? headers.range)) ?? [];
    const bytes = blob.subarray(Number(start), end === '' ? undefined : Number(end) + 1);
    response.writeHead(bytes.length === blob.length ? 200 : 206, {
      'content-length': bytes.length,
      etag: `"${blob.length}"`,
      'last-modified': new Date(0).toUTCString(),
      'x-ms-blob-type': 'AppendBlob',
    });
    if (stalls === 'body' && method === 'GET') return response.write(bytes.subarray(0, 1));
    return response.end(method === 'HEAD' ? undefined : bytes);
  }

  const server = createServer((request, response) => void handle(request, response));
  return {
    server,
    fail: (down: boolean) => {
      isDown = down;
    },
    stall: (at: Stall) => {
      stalls = at;
    },
    /** Appends the next block, but closes the connection instead of responding. */
    loseResponse: () => {
      responseIsLost = true;
    },
  };
}
