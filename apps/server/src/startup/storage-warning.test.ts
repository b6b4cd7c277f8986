import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createAzureStorage } from '../platform/storage/azure-storage.ts';
import { createS3Storage } from '../platform/storage/s3-storage.ts';
import { findStorageProblem } from './storage-warning.ts';

let server: Server;
afterEach(() => server.close());

/** Starts a storage that refuses every request with this error code. */
async function refuseWith(status: number, code: string): Promise<string> {
  server = createServer((_request, response) =>
    response
      .writeHead(status, { 'content-type': 'application/xml', 'x-ms-error-code': code })
      .end(`<Error><Code>${code}</Code><Message>Reason.</Message></Error>`),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const openS3 = (origin: string) => createS3Storage(new URL(`s3://files?endpoint=${origin}`), 'id', 'key');
const openAzure = (origin: string) =>
  createAzureStorage(new URL(`azure://account/files?endpoint=${origin}/account`), 'a2V5');

test.each([
  ['S3', openS3, 403, 'InvalidAccessKeyId'],
  ['S3', openS3, 403, 'SignatureDoesNotMatch'],
  ['S3', openS3, 404, 'NoSuchBucket'],
  ['Azure', openAzure, 403, 'AuthenticationFailed'],
  ['Azure', openAzure, 404, 'ContainerNotFound'],
])('%s: a refusal is reported with its reason and the settings', async (_kind, open, status, code) => {
  const problem = await findStorageProblem(open(await refuseWith(status, code)));
  expect(problem).toContain(code);
  expect(problem).toContain('ATTACHMENT_STORAGE_KEY');
});

test.each([
  ['S3', openS3, 404, 'NoSuchKey'],
  ['S3', openS3, 403, 'AccessDenied'],
  ['Azure', openAzure, 404, 'BlobNotFound'],
])('%s: the response for a missing file is no problem: %#', async (_kind, open, status, code) => {
  expect(await findStorageProblem(open(await refuseWith(status, code)))).toBeNull();
});

test('an unreachable storage is reported', async () => {
  const origin = await refuseWith(404, 'NoSuchKey');
  await new Promise((resolve) => server.close(resolve));
  expect(await findStorageProblem(openS3(origin))).toContain('ECONNREFUSED');
});
