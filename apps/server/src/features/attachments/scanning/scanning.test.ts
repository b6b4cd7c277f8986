import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, Socket, type AddressInfo, type Server } from 'node:net';
import path from 'node:path';
import { Readable } from 'node:stream';
import {
  deleteAttachment,
  getAttachment,
  linkToAttachments,
  listAttachments,
  shareAttachment,
} from '@vestibule/contract/attachments';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { TestPerson } from '../../../test/test-app.ts';
import { scanWithClamd, tooLargeToScan, type Verdict } from './clamd.ts';
import { cleanUpFiles } from '../files/clean-up.ts';
import { createListeningApp, type ListeningApp } from '../uploads/test-uploads.ts';

/** Signature that the fake clamd reports. */
const infected = 'Vestibule test virus 7f3a9c51';

/**
 * Fake clamd that reports `infected` and accepts 1 MB at most. `respondWith` sets a response that replaces its
 * verdicts.
 */
async function startFakeClamd() {
  let response: string | null = null;
  const server = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const command = 'zINSTREAM\0';
      if (received.length < command.length) return;
      if (received.toString('latin1', 0, command.length) !== command)
        return void socket.end('UNKNOWN COMMAND\0');
      const chunks: Buffer[] = [];
      for (let at = command.length; at + 4 <= received.length;) {
        const length = received.readUInt32BE(at);
        if (length === 0) {
          const found = Buffer.concat(chunks).includes(infected);
          return void socket.end(response ?? (found ? 'stream: Vestibule.Test FOUND\0' : 'stream: OK\0'));
        }
        if (at + 4 + length > received.length) return;
        chunks.push(received.subarray(at + 4, at + 4 + length));
        at += 4 + length;
        if (at > 1_000_000) {
          // Responds once and discards the rest: resetting the connection could lose the response.
          socket.removeAllListeners('data').resume();
          return void socket.end('INSTREAM size limit exceeded. ERROR\0');
        }
      }
    });
  });
  await listen(server);
  const { port } = server.address() as AddressInfo;
  return {
    url: `tcp://127.0.0.1:${port}`,
    respondWith: (text: string | null) => {
      response = text;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}

describe('askClamd', () => {
  let clamd: Awaited<ReturnType<typeof startFakeClamd>>;
  beforeAll(async () => {
    clamd = await startFakeClamd();
  });
  afterAll(() => clamd.close());
  const scanBytes = (bytes: Buffer, chunkLength = 64 * 1024): Promise<Verdict> =>
    scanWithClamd(
      clamd.url,
      Readable.from(
        Array.from({ length: Math.ceil(bytes.length / chunkLength) }, (_, index) =>
          bytes.subarray(index * chunkLength, (index + 1) * chunkLength),
        ),
      ),
    );

  test('reports clean and infected content, in chunks of any size and for an empty file', async () => {
    expect(await scanBytes(randomBytes(300_000))).toEqual({ clean: true });
    expect(await scanBytes(Buffer.alloc(0))).toEqual({ clean: true });
    for (const chunkLength of [1, 7, 1000])
      expect(await scanBytes(Buffer.from(`xx ${infected} xx`), chunkLength)).toEqual({
        clean: false,
        virus: 'Vestibule.Test',
      });
  });

  test('clamd has five minutes for the verdict after all bytes were sent', async () => {
    const setTimeouts = vi.spyOn(Socket.prototype, 'setTimeout');
    expect(await scanBytes(randomBytes(1_000))).toEqual({ clean: true });
    expect(setTimeouts.mock.calls.map(([milliseconds]) => milliseconds)).toEqual([60_000, 300_000]);
    setTimeouts.mockRestore();
  });

  test('content over the size limits of clamd is not reported as clean', async () => {
    expect(await scanBytes(randomBytes(1_200_000))).toEqual({ clean: false, virus: tooLargeToScan });
    clamd.respondWith('stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND\0');
    expect(await scanBytes(Buffer.from('x'))).toEqual({ clean: false, virus: tooLargeToScan });
    clamd.respondWith(null);
  });

  test.each(['stream: Can not allocate memory ERROR\0', '\0', 'stream: OK and more\0', 'FOUND\0'])(
    'throws for the response %j',
    async (response) => {
      clamd.respondWith(response);
      await expect(scanBytes(Buffer.from('x'))).rejects.toThrow('unexpected response from clamd');
      clamd.respondWith(null);
    },
  );
});

describe('scanning', () => {
  let clamd: Awaited<ReturnType<typeof startFakeClamd>>;
  let isScannerAvailable = true;
  let t: ListeningApp;
  let ann: TestPerson;
  let bob: TestPerson;
  let admin: TestPerson;
  beforeAll(async () => {
    clamd = await startFakeClamd();
    t = await createListeningApp({
      scan: (bytes) => scanWithClamd(isScannerAvailable ? clamd.url : 'tcp://127.0.0.1:1', bytes),
    });
    admin = await t.join('admin@example.com', 'admin');
    ann = await t.join('ann@example.com');
    bob = await t.join('bob@example.com');
  });
  afterAll(async () => {
    await t.close();
    await clamd.close();
  });

  const get = async (person: TestPerson, attachmentId: string) =>
    (await t.callAs(person, getAttachment, { params: { attachmentId } })).body;
  const alertsOf = (id: string) =>
    t.log.filter((line) => line.includes('"alert":"attachment_damaged"') && line.includes(id));
  const shareWithAll = (attachmentId: string) =>
    t.callAs(ann, shareAttachment, { params: { attachmentId }, body: { sharing: 'everyone' } });
  const link = (person: TestPerson, id: string) =>
    t.callAs(person, linkToAttachments, { body: { attachmentIds: [id], purpose: 'download' } });

  test('an infected file is quarantined: visible to its owner and administrators, readable for no user', async () => {
    const id = await t.upload(ann, 'infected.txt', `before ${infected} after`);
    await shareWithAll(id);
    await t.scanning?.waitUntilIdle();
    for (const person of [ann, admin]) {
      expect(await get(person, id)).toMatchObject({
        status: 'quarantined',
        virus: expect.stringContaining('Vestibule'),
        may: { open: false, delete: true },
      });
      expect((await link(person, id)).body.code).toBe('attachment.quarantined');
    }
    expect((await get(bob, id)).code).toBe('attachment.not_found');
    const { body } = await t.callAs(bob, listAttachments, { query: { search: 'infected' } });
    expect(body.rows).toEqual([]);
    const rows = await t.select<{ actor_label: string; detail: object }>`
      select actor_label, detail from audit_log where action = 'attachment.quarantined' and target_id = ${id}`;
    expect(rows).toEqual([
      { actor_label: 'Vestibule', detail: { virus: expect.any(String), owner: 'ann@example.com' } },
    ]);
    expect((await t.callAs(admin, deleteAttachment, { params: { attachmentId: id } })).status).toBe(200);
  });

  test('a missing file that was restored is scanned before it can be opened', async () => {
    isScannerAvailable = false;
    const id = await t.upload(ann, 'infected backup.txt', `before ${infected} after`);
    await shareWithAll(id);
    await t.scanning?.waitUntilIdle();
    const file = path.join(t.filesDirectory, id.slice(-2), id.slice(-4, -2), id);
    const contents = await readFile(file);
    await rm(file);
    isScannerAvailable = true;
    await t.scanning?.checkAll();
    expect((await get(ann, id)).status).toBe('missing');
    expect(alertsOf(id)).toHaveLength(1);
    await writeFile(file, contents);
    t.clock.advance(11 * 60_000);
    await cleanUpFiles({ database: t.database, storage: t.storage, scans: true, now: t.clock.now });
    expect(await get(ann, id)).toMatchObject({ status: 'scanning', may: { open: false } });
    expect((await get(bob, id)).code).toBe('attachment.not_found');
    await t.scanning?.checkAll();
    expect((await get(ann, id)).status).toBe('quarantined');
  });

  test('a file whose bytes were altered is reported as damaged and not as clean', async () => {
    isScannerAvailable = false;
    const id = await t.upload(ann, 'altered.txt', 'as it was stored');
    await t.scanning?.waitUntilIdle();
    await writeFile(path.join(t.filesDirectory, id.slice(-2), id.slice(-4, -2), id), 'as it is here now');
    isScannerAvailable = true;
    await t.scanning?.checkAll();
    expect((await get(ann, id)).status).toBe('missing');
    expect(alertsOf(id)).toHaveLength(1);
  });

  test('a file waits while the scanner is unavailable and is scanned afterwards', async () => {
    isScannerAvailable = false;
    const id = await t.upload(ann, 'waiting.txt', 'waits');
    await shareWithAll(id);
    await t.scanning?.waitUntilIdle();
    expect(await get(ann, id)).toMatchObject({ status: 'scanning', may: { open: false } });
    expect((await link(ann, id)).body.code).toBe('attachment.scanning');
    expect((await get(bob, id)).code).toBe('attachment.not_found');
    isScannerAvailable = true;
    await t.scanning?.checkAll();
    expect((await get(bob, id)).status).toBe('ready');
  });
});
