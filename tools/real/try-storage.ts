/**
 * `node tools/real/try-storage.ts`: files in a real S3 server, OpenStack Swift with its S3 interface (apt-get install swift-proxy swift-account
 * swift-container swift-object): uploads of several parts, broken off and gone on with, ranges, deletion, late writers, and the storage killed.
 */
import assert from 'node:assert/strict';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createS3Storage } from '../../apps/server/src/platform/storage/s3-storage.ts';
import { StorageError, type FileStorage } from '../../apps/server/src/platform/storage/storage.ts';
import { freePorts } from '../../e2e/site/start-server.ts';
import { answers, run, startProgram } from './running-program.ts';

const keyId = 'trial:tester';
const key = 'testing';
const bucket = 'files';
const region = 'us-east-1';
const megabyte = 1024 * 1024;
const say = (text: string) => console.log(text);
const idOf = (number: number) => `0192f0c1-2345-7abc-8def-${String(number).padStart(12, '0')}`;

/** One device, one copy, everything as root, in a directory that goes with the trial. */
async function startSwift(directory: string, closing: AsyncDisposableStack) {
  const { web, provider: object, mailbox: container, smtp: account } = await freePorts();
  const devices = path.join(directory, 'devices');
  mkdirSync(path.join(devices, 'd1'), { recursive: true });
  const common = [
    'bind_ip = 127.0.0.1',
    `swift_dir = ${directory}`,
    `devices = ${devices}`,
    'mount_check = false',
    'user = root',
    'workers = 0',
    'log_address = /dev/null',
  ];
  const start = async (kind: string, port: number, lines: string[]) => {
    const file = path.join(directory, `${kind}.conf`);
    writeFileSync(file, ['[DEFAULT]', `bind_port = ${port}`, ...common, ...lines].join('\n'));
    return startProgram(`swift-${kind}-server`, [file, '-v'], () => answers(port));
  };
  for (const [kind, port] of Object.entries({ object, container, account })) {
    const ring = path.join(directory, `${kind}.builder`);
    run('swift-ring-builder', [ring, 'create', '4', '1', '1']);
    run('swift-ring-builder', [
      ring,
      'add',
      '--region',
      '1',
      '--zone',
      '1',
      '--ip',
      '127.0.0.1',
      '--port',
      String(port),
      '--device',
      'd1',
      '--weight',
      '1',
    ]);
    run('swift-ring-builder', [ring, 'rebalance']);
    const server = await start(kind, port, [
      '[pipeline:main]',
      `pipeline = ${kind}-server`,
      `[app:${kind}-server]`,
      `use = egg:swift#${kind}`,
    ]);
    closing.defer(() => server.end());
  }
  const filters = ['catch_errors', 'cache', 's3api', 'tempauth', 'slo', 'dlo'];
  const proxyLines = [
    '[pipeline:main]',
    `pipeline = ${filters.join(' ')} proxy-server`,
    ...filters.flatMap((filter) => [
      `[filter:${filter}]`,
      `use = egg:swift#${filter === 'cache' ? 'memcache' : filter}`,
      ...(filter === 'tempauth' ? [`user_${keyId.replace(':', '_')} = ${key} .admin`] : []),
      ...(filter === 's3api' ? [`location = ${region}`, 'min_segment_size = 5242880'] : []),
    ]),
    '[app:proxy-server]',
    'use = egg:swift#proxy',
    'account_autocreate = true',
  ];
  const startProxy = () => start('proxy', web, proxyLines);
  return { origin: `http://127.0.0.1:${web}`, proxy: await startProxy(), startProxy };
}

/** As an administrator of the storage does it once (AWS Signature Version 4). */
async function makeBucket(origin: string): Promise<void> {
  const { host } = new URL(origin);
  const moment = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${moment.slice(0, 8)}/${region}/s3/aws4_request`;
  const nothing = createHash('sha256').digest('hex');
  const headers = `host:${host}\nx-amz-content-sha256:${nothing}\nx-amz-date:${moment}\n`;
  const names = 'host;x-amz-content-sha256;x-amz-date';
  const asked = createHash('sha256')
    .update(`PUT\n/${bucket}\n\n${headers}\n${names}\n${nothing}`)
    .digest('hex');
  const signingKey = scope
    .split('/')
    .reduce<Buffer>(
      (secret, part) => createHmac('sha256', secret).update(part).digest(),
      Buffer.from(`AWS4${key}`),
    );
  const signature = createHmac('sha256', signingKey)
    .update(`AWS4-HMAC-SHA256\n${moment}\n${scope}\n${asked}`)
    .digest('hex');
  const answer = await fetch(`${origin}/${bucket}`, {
    method: 'PUT',
    headers: {
      'x-amz-date': moment,
      'x-amz-content-sha256': nothing,
      authorization: `AWS4-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    },
  });
  assert.equal(answer.status, 200, await answer.text());
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

async function tryStorage(directory: string): Promise<void> {
  await using closing = new AsyncDisposableStack();
  const swift = await startSwift(directory, closing);
  closing.defer(() => swift.proxy.end());
  await makeBucket(swift.origin);
  const open = () =>
    createS3Storage(new URL(`s3://${bucket}?region=${region}&endpoint=${swift.origin}`), keyId, key);
  const storage = open();

  const bytes = randomBytes(40 * megabyte + 5);
  const begunAt = performance.now();
  await storage.create(idOf(1), bytes.length);
  await storage.append(idOf(1), 0, pieces(bytes));
  const written = performance.now();
  assert.ok((await contentsOf(storage, idOf(1)))?.equals(bytes));
  const rate = (ms: number) => `${Math.round(bytes.length / 1e6 / (ms / 1000))} MB/s`;
  say(
    `40 MB in several parts: written at ${rate(written - begunAt)}, read at ${rate(performance.now() - written)}, the same bytes`,
  );
  assert.deepEqual(await contentsOf(storage, idOf(1), { start: 5, end: 9 }), bytes.subarray(5, 10));
  assert.deepEqual(
    await contentsOf(storage, idOf(1), { start: bytes.length - 4, end: bytes.length - 1 }),
    bytes.subarray(-4),
  );
  say('ranges: at the beginning and at the end');

  const broken = bytes.subarray(0, 17 * megabyte);
  await storage.create(idOf(2), broken.length);
  await assert.rejects(storage.append(idOf(2), 0, pieces(broken, 6 * megabyte)), /the connection was lost/);
  const kept = (await storage.sizeOf(idOf(2))) ?? 0;
  assert.equal(kept, 6 * megabyte);
  await storage.append(idOf(2), kept, pieces(broken.subarray(kept)));
  assert.ok((await contentsOf(storage, idOf(2)))?.equals(broken));
  say('an upload that broke off: what arrived is kept, and it goes on there');

  await storage.create(idOf(3), 11 * megabyte);
  const { promise: woken, resolve: wake } = Promise.withResolvers<void>();
  const { promise: asleep, resolve: sleeps } = Promise.withResolvers<void>();
  async function* sleeping() {
    sleeps();
    await woken;
    yield* pieces(Buffer.alloc(6 * megabyte, 'evil'));
  }
  const late = open()
    .append(idOf(3), 0, sleeping())
    .catch((error: unknown) => error);
  await asleep;
  await storage.append(idOf(3), 0, pieces(bytes.subarray(0, 11 * megabyte)));
  const sealed = await storage.seal(idOf(3), true);
  wake();
  const told = (await late) instanceof StorageError ? 'refused' : 'taken';
  const after = await sealed
    ?.read()
    .then((stream) => buffer(stream as Readable))
    .catch((error: Error) => error);
  assert.ok(after instanceof Error || after?.equals(bytes.subarray(0, 11 * megabyte)));
  say(
    `a writer that is late, when the file is complete: ${told}; the file ${after instanceof Error ? 'can no longer be read, and never has other bytes' : 'is what it was'}`,
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
  closing.defer(() => again.end());
  const size = (await storage.sizeOf(idOf(4))) ?? 0;
  assert.equal(size, 6 * megabyte);
  await storage.append(idOf(4), size, pieces(bytes.subarray(size, 20 * megabyte)));
  assert.ok((await contentsOf(storage, idOf(4)))?.equals(bytes.subarray(0, 20 * megabyte)));
  say(
    'the storage killed (SIGKILL) in an upload: said to be unavailable; back again, the upload goes on and ends well',
  );

  for (const number of [1, 2, 3, 4]) {
    await storage.remove(idOf(number));
    assert.equal(await storage.sizeOf(idOf(number)), null);
    assert.equal(await contentsOf(storage, idOf(number)), null);
  }
  await storage.remove(idOf(1));
  say('deleted: gone, and deleting again does no harm');
}

const directory = mkdtempSync(path.join(tmpdir(), 'vestibule-storage-'));
try {
  await tryStorage(directory);
} finally {
  rmSync(directory, { recursive: true });
}
