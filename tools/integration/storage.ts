/**
 * `node tools/integration/storage.ts`: tests file storage on OpenStack Swift with its S3 API (apt-get install swift-proxy swift-account
 * swift-container swift-object): multipart uploads, resumed uploads, ranges, deletion, late writers, and a killed storage.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createS3Storage } from '../../apps/server/src/platform/storage/s3-storage.ts';
import { StorageError, type FileStorage } from '../../apps/server/src/platform/storage/storage.ts';
import { findFreePorts } from '../../e2e/fixtures/start-server.ts';
import { answers, startProgram } from './run-program.ts';
import { sendS3Request, region, writeSwiftConfig, type SwiftPart } from './services/swift.ts';
import { withTemporaryDirectory, report } from './fixture.ts';

const keyId = 'trial:tester';
const key = 'testing';
const bucket = 'files';
const megabyte = 1024 * 1024;
const idOf = (number: number) => `0192f0c1-2345-7abc-8def-${String(number).padStart(12, '0')}`;

async function startSwift(directory: string, cleanup: AsyncDisposableStack) {
  const { web, provider: object, mailbox: container, smtp: account } = await findFreePorts();
  const ports = { proxy: web, object, container, account };
  const devices = path.join(directory, 'devices');
  mkdirSync(path.join(devices, 'd1'), { recursive: true });
  writeSwiftConfig(directory, { ports, host: '127.0.0.1', devices, keyId, key });
  const start = (part: SwiftPart) =>
    startProgram(`swift-${part}-server`, [path.join(directory, `${part}.conf`), '-v'], () =>
      answers(ports[part]),
    );
  for (const part of ['object', 'container', 'account'] as const) {
    const server = await start(part);
    cleanup.defer(() => server.end());
  }
  const startProxy = () => start('proxy');
  return { origin: `http://127.0.0.1:${web}`, proxy: await startProxy(), startProxy };
}

async function* pieces(bytes: Buffer, breakAfter = Infinity): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 64 * 1024) {
    if (at >= breakAfter) throw new Error('the connection was lost');
    yield bytes.subarray(at, at + 64 * 1024);
  }
}

async function contentsOf(storage: FileStorage, id: string, range?: { start: number; end: number }) {
  const stream = await storage.read(id, range);
  return stream && buffer(stream);
}

async function testStorage(directory: string): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const swift = await startSwift(directory, cleanup);
  cleanup.defer(() => swift.proxy.end());
  await sendS3Request(swift.origin, { keyId, key }, 'PUT', bucket);
  const open = () =>
    createS3Storage(new URL(`s3://${bucket}?region=${region}&endpoint=${swift.origin}`), keyId, key);
  const storage = open();

  const bytes = randomBytes(40 * megabyte + 5);
  const startedAt = performance.now();
  await storage.create(idOf(1), bytes.length);
  await storage.append(idOf(1), 0, pieces(bytes));
  const written = performance.now();
  assert.ok((await contentsOf(storage, idOf(1)))?.equals(bytes));
  const rate = (ms: number) => `${Math.round(bytes.length / 1e6 / (ms / 1000))} MB/s`;
  report(
    `40 MB in several parts: written at ${rate(written - startedAt)}, read at ${rate(performance.now() - written)}, the same bytes`,
  );
  assert.deepEqual(await contentsOf(storage, idOf(1), { start: 5, end: 9 }), bytes.subarray(5, 10));
  assert.deepEqual(
    await contentsOf(storage, idOf(1), { start: bytes.length - 4, end: bytes.length - 1 }),
    bytes.subarray(-4),
  );
  report('ranges: at the beginning and at the end');

  const broken = bytes.subarray(0, 17 * megabyte);
  await storage.create(idOf(2), broken.length);
  await assert.rejects(storage.append(idOf(2), 0, pieces(broken, 6 * megabyte)), /the connection was lost/);
  const receivedBytes = (await storage.sizeOf(idOf(2))) ?? 0;
  assert.equal(receivedBytes, 6 * megabyte);
  await storage.append(idOf(2), receivedBytes, pieces(broken.subarray(receivedBytes)));
  assert.ok((await contentsOf(storage, idOf(2)))?.equals(broken));
  report('an interrupted upload: received bytes are stored and the upload resumes there');

  await storage.create(idOf(3), 11 * megabyte);
  const { promise: resumed, resolve: resume } = Promise.withResolvers<void>();
  const { promise: paused, resolve: pause } = Promise.withResolvers<void>();
  async function* pausedBytes() {
    pause();
    await resumed;
    yield* pieces(Buffer.alloc(6 * megabyte, 'evil'));
  }
  const late = open()
    .append(idOf(3), 0, pausedBytes())
    .catch((error: unknown) => error);
  await paused;
  await storage.append(idOf(3), 0, pieces(bytes.subarray(0, 11 * megabyte)));
  const sealed = await storage.seal(idOf(3), true);
  resume();
  const outcome = (await late) instanceof StorageError ? 'refused' : 'accepted';
  const after = await sealed
    ?.read()
    .then((stream) => buffer(stream as Readable))
    .catch((error: Error) => error);
  assert.ok(after instanceof Error || after?.equals(bytes.subarray(0, 11 * megabyte)));
  report(
    `a writer that is late, when the file is complete: ${outcome}; the file ${after instanceof Error ? 'can no longer be read, and never has wrong bytes' : 'is unchanged'}`,
  );

  await storage.create(idOf(4), 20 * megabyte);
  await storage.append(idOf(4), 0, pieces(bytes.subarray(0, 6 * megabyte), 6 * megabyte));
  await swift.proxy.end('SIGKILL');
  await assert.rejects(
    storage.append(idOf(4), 6 * megabyte, pieces(bytes.subarray(0, 14 * megabyte))),
    StorageError,
  );
  await assert.rejects(storage.read(idOf(1)), { reason: 'unavailable' });
  const again = await swift.startProxy();
  cleanup.defer(() => again.end());
  const size = (await storage.sizeOf(idOf(4))) ?? 0;
  assert.equal(size, 6 * megabyte);
  await storage.append(idOf(4), size, pieces(bytes.subarray(size, 20 * megabyte)));
  assert.ok((await contentsOf(storage, idOf(4)))?.equals(bytes.subarray(0, 20 * megabyte)));
  report(
    'the storage killed (SIGKILL) during an upload: reported as unavailable; after its restart the upload resumes and completes',
  );

  for (const number of [1, 2, 3, 4]) {
    await storage.remove(idOf(number));
    assert.equal(await storage.sizeOf(idOf(number)), null);
    assert.equal(await contentsOf(storage, idOf(number)), null);
  }
  await storage.remove(idOf(1));
  report('deleted: no longer readable; deleting again has no effect');
}

await withTemporaryDirectory('storage', testStorage);
