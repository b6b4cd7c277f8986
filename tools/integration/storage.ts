/**
 * `node tools/integration/storage.ts`: tests file storage on OpenStack Swift with its S3 API (apt-get install swift-proxy swift-account
 * swift-container swift-object memcached; needs root): multipart uploads, resumed uploads, ranges, deletion, late writers, and a killed storage.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createS3Storage } from '../../apps/server/src/platform/storage/s3-storage.ts';
import { StorageError } from '../../apps/server/src/platform/storage/storage.ts';
import { startChild } from '../../bench/harness/process.ts';
import { findFreePorts } from '../../packages/testing/src/start-server.ts';
import { answers, report, run, runTest } from './fixture.ts';

const keyId = 'trial:tester';
const key = 'testing';
const bucket = 'files';
const region = 'us-east-1';
const megabyte = 1024 * 1024;
const idOf = (number: number) => `0192f0c1-2345-7abc-8def-${String(number).padStart(12, '0')}`;

/** Starts Swift with one device and one replica. Returns its origin, and a function that starts its proxy again. */
async function startSwift(directory: string, cleanup: AsyncDisposableStack) {
  const { web, provider: object, mailbox: container, smtp: account } = await findFreePorts();
  mkdirSync(path.join(directory, 'd1'));
  const start = (part: string, port: number, lines: string) => {
    const file = path.join(directory, `${part}.conf`);
    writeFileSync(
      file,
      `[DEFAULT]
bind_port = ${port}
bind_ip = 127.0.0.1
swift_dir = ${directory}
devices = ${directory}
mount_check = false
user = root
workers = 0
log_address = /dev/null
${lines}`,
    );
    return startChild(`swift-${part}-server`, [file], () => answers(port));
  };
  for (const [part, port] of Object.entries({ object, container, account })) {
    const ring = (words: string) =>
      run('swift-ring-builder', [path.join(directory, `${part}.builder`), ...words.split(' ')]);
    ring('create 4 1 1');
    ring(`add --region 1 --zone 1 --ip 127.0.0.1 --port ${port} --device d1 --weight 1`);
    ring('rebalance');
    const app = `[pipeline:main]\npipeline = ${part}-server\n[app:${part}-server]\nuse = egg:swift#${part}\n`;
    const server = await start(part, port, app);
    cleanup.defer(async () => void (await server.stop()));
  }
  const settings: Record<string, string> = {
    catch_errors: '',
    cache: '',
    s3api: `location = ${region}\nmin_segment_size = 5242880\n`,
    tempauth: `user_${keyId.replace(':', '_')} = ${key} .admin\n`,
    slo: '',
    dlo: '',
  };
  const filters = Object.entries(settings).map(
    ([name, lines]) => `[filter:${name}]\nuse = egg:swift#${name === 'cache' ? 'memcache' : name}\n${lines}`,
  );
  const pipeline = `[pipeline:main]\npipeline = ${Object.keys(settings).join(' ')} proxy-server\n`;
  const app = '[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\n';
  const origin = `http://127.0.0.1:${web}`;
  const startProxy = async () => {
    const proxy = await start('proxy', web, pipeline + filters.join('') + app);
    cleanup.defer(async () => void (await proxy.stop()));
    return proxy;
  };
  const proxy = await startProxy();
  const { headers } = await fetch(`${origin}/auth/v1.0`, {
    headers: { 'x-auth-user': keyId, 'x-auth-key': key },
  });
  const made = await fetch(`${headers.get('x-storage-url')}/${bucket}`, {
    method: 'PUT',
    headers: { 'x-auth-token': headers.get('x-auth-token') ?? '' },
  });
  assert.ok(made.ok, String(made.status));
  return { origin, kill: () => proxy.stop('SIGKILL'), startProxy };
}

async function* pieces(bytes: Buffer, breakAfter = Infinity): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 64 * 1024) {
    if (at >= breakAfter) throw new Error('the connection was lost');
    yield bytes.subarray(at, at + 64 * 1024);
  }
}

await runTest(async (directory, cleanup) => {
  const swift = await startSwift(directory, cleanup);
  const open = () =>
    createS3Storage(new URL(`s3://${bucket}?region=${region}&endpoint=${swift.origin}`), keyId, key);
  const storage = open();
  const read = async (number: number, range?: { start: number; end: number }) => {
    const stream = await storage.read(idOf(number), range);
    return stream && buffer(stream);
  };

  const bytes = randomBytes(40 * megabyte + 5);
  await storage.create(idOf(1), bytes.length);
  await storage.append(idOf(1), 0, pieces(bytes));
  assert.ok((await read(1))?.equals(bytes));
  assert.deepEqual(await read(1, { start: 5, end: 9 }), bytes.subarray(5, 10));
  const last = { start: bytes.length - 4, end: bytes.length - 1 };
  assert.deepEqual(await read(1, last), bytes.subarray(-4));
  report('40 MB in several parts, and ranges of it: the same bytes');

  const broken = bytes.subarray(0, 17 * megabyte);
  await storage.create(idOf(2), broken.length);
  await assert.rejects(storage.append(idOf(2), 0, pieces(broken, 6 * megabyte)), /the connection was lost/);
  const receivedBytes = (await storage.sizeOf(idOf(2))) ?? 0;
  assert.equal(receivedBytes, 6 * megabyte);
  await storage.append(idOf(2), receivedBytes, pieces(broken.subarray(receivedBytes)));
  assert.ok((await read(2))?.equals(broken));
  report('an interrupted upload: received bytes are stored and the upload resumes there');

  const whole = bytes.subarray(0, 11 * megabyte);
  await storage.create(idOf(3), whole.length);
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
  await storage.append(idOf(3), 0, pieces(whole));
  const sealed = await storage.seal(idOf(3), true);
  resume();
  await late;
  const after = await sealed
    ?.read()
    .then((stream) => buffer(stream as Readable))
    .catch((error: Error) => error);
  assert.ok(after instanceof Error || after?.equals(whole));
  report('a writer that is late, when the file is complete: the file never has wrong bytes');

  await storage.create(idOf(4), 20 * megabyte);
  await storage.append(idOf(4), 0, pieces(bytes.subarray(0, 6 * megabyte)));
  await swift.kill();
  const rest = () => pieces(bytes.subarray(6 * megabyte, 20 * megabyte));
  await assert.rejects(storage.append(idOf(4), 6 * megabyte, rest()), StorageError);
  await assert.rejects(storage.read(idOf(1)), { reason: 'unavailable' });
  await swift.startProxy();
  assert.equal(await storage.sizeOf(idOf(4)), 6 * megabyte);
  await storage.append(idOf(4), 6 * megabyte, rest());
  assert.ok((await read(4))?.equals(bytes.subarray(0, 20 * megabyte)));
  report(
    'the storage killed (SIGKILL) during an upload: unavailable; after its restart the upload completes',
  );

  for (const number of [1, 2, 3, 4]) {
    await storage.remove(idOf(number));
    assert.equal(await storage.sizeOf(idOf(number)), null);
  }
  await storage.remove(idOf(1));
  report('deleted; deleting again has no effect');
});
