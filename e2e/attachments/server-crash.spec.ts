/**
 * Uploads across a server that is killed: acknowledged bytes remain and no partial file is visible. Plain
 * requests without a browser; the screen is tested in uploads.spec.ts.
 */
import { expect, test } from '@playwright/test';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { startLocalProvider } from '../fixtures/local-provider.ts';
import {
  findFreePorts,
  readDatabase,
  removeDataDirectory,
  spawnServer,
  type ServerProcess,
} from '../../packages/testing/src/start-server.ts';

const megabyte = 1024 * 1024;

type Init = Omit<RequestInit, 'headers'> & { headers?: Record<string, string>; duplex?: 'half' };

test('an upload resumes after the server is killed, and the file is identical (K7)', async () => {
  const provider = await startLocalProvider();
  const ports = await findFreePorts();
  const start = async (dataDirectory?: string): Promise<ServerProcess> => {
    const server = await spawnServer({
      ...(dataDirectory !== undefined && { dataDirectory }),
      ports,
      env: { ...provider.environment, SIGN_IN_WITH: 'b2c', SMTP_URL: 'off' },
    });
    await server.ready();
    return server;
  };
  let server = await start();
  const { dataDirectory } = server;
  try {
    await addPerson(dataDirectory, provider.issuer);
    const authorization = `Bearer ${await provider.issueToken({ sub: 'ann' })}`;
    const call = (address: string, init: Init = {}) =>
      fetch(`http://127.0.0.1:${ports.web}${address}`, {
        ...init,
        headers: { authorization, 'tus-resumable': '1.0.0', ...init.headers },
      });
    const bytes = randomBytes(12 * megabyte);

    const begun = await call('/api/attachments/uploads', {
      method: 'POST',
      headers: {
        'upload-length': String(bytes.length),
        'upload-metadata': `name ${Buffer.from('film.bin').toString('base64')}`,
      },
    });
    const location = begun.headers.get('location') as string;
    const id = location.split('/').at(-1) as string;
    const patch = (offset: number, body: BodyInit) =>
      call(location, {
        method: 'PATCH',
        headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
        body,
        duplex: 'half',
      });

    // The server is killed while bytes arrive.
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const sending = patch(0, readable).catch(() => 'cut off');
    await writer.write(bytes.subarray(0, 9 * megabyte));
    const file = path.join(dataDirectory, 'attachments', id.slice(-2), id.slice(-4, -2), `${id}.part`);
    await expect.poll(async () => (await stat(file)).size).toBeGreaterThan(0);
    server.child.kill('SIGKILL');
    await once(server.child, 'exit');
    expect(await sending).toBe('cut off');
    server = await start(dataDirectory);
    expect((await call(`/api/attachments/${id}`)).status, 'nothing half-written is visible').toBe(404);

    const offset = Number((await call(location, { method: 'HEAD' })).headers.get('upload-offset'));
    expect(offset).toBeGreaterThan(0);
    expect((await patch(offset, bytes.subarray(offset))).status).toBe(204);

    const attachment = (await (await call(`/api/attachments/${id}`)).json()) as {
      sha256: string;
      size: number;
    };
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(attachment).toMatchObject({ sha256, size: bytes.length });
    const link = await call('/api/attachments/links', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ attachmentIds: [id], purpose: 'download' }),
    });
    const { path: address } = (await link.json()) as { path: string };
    const contents = Buffer.from(await (await call(address)).arrayBuffer());
    expect(contents.equals(bytes)).toBe(true);
  } finally {
    await server.stop();
    provider.close();
    await removeDataDirectory(dataDirectory);
  }
});

/** Inserts a member. */
async function addPerson(dataDirectory: string, issuer: string): Promise<void> {
  const database = new pg.Client({ connectionString: readDatabase(dataDirectory).url });
  await database.connect();
  await database.query(
    `with person as (insert into people (id, email, email_canonical, display_name, role)
       values ($1, 'ann@example.com', 'ann@example.com', 'Ann', 'member') returning id)
     insert into identities (issuer, subject, person_id, way) select $2, 'ann', id, 'b2c' from person`,
    [randomUUID(), issuer],
  );
  await database.end();
}
