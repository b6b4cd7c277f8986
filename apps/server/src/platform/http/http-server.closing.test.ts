/** A stop loses no request: neither pending ones nor those on keep-alive or new connections (O3). */
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from 'vitest';
import { createTestApp } from '../../test/test-app.ts';
import { createHttpServer } from './http-server.ts';

const t = await createTestApp();
const admin = await t.join('admin@example.com', 'admin');
afterAll(() => t.close());

test('a closing server finishes pending requests and closes keep-alive connections', async () => {
  const closing = await createTestApp({
    sharedWith: t,
    wrapDatabase: (database) => ({
      ...database,
      query: async (config) => {
        if (config.name === 'find-people-by-identity') await delay(200);
        return database.query(config);
      },
    }),
  });
  await closing.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = closing.app.server.address() as AddressInfo;
  const [agent, idleAgent] = [keepAlive(), keepAlive()];
  const get = (through: Agent, url: string) => request(port, through, url);
  for (const one of [agent, idleAgent])
    expect((await get(one, '/healthz')).headers.connection).toBe('keep-alive');

  const inFlight = get(agent, '/api/users/me');
  await delay(50);
  const startedAt = performance.now();
  const closed = closing.close();
  await delay(50);
  expect(await get(idleAgent, '/healthz')).toMatchObject({
    statusCode: 200,
    headers: { connection: 'close' },
  });
  expect(await inFlight).toMatchObject({ statusCode: 200, headers: { connection: 'close' } });
  await closed;
  // Less than the time for which idle connections would stay open.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  await expect(get(agent, '/healthz')).rejects.toThrow('ECONNREFUSED');
});

test('an idle connection stays open for longer than the 600 seconds of load balancers of Google Cloud', async () => {
  const other = await createTestApp({ sharedWith: t });
  await other.app.listen({ port: 0, host: '127.0.0.1' });
  const { headers } = await request(
    (other.app.server.address() as AddressInfo).port,
    keepAlive(),
    '/healthz',
  );
  await other.close();
  expect(headers['keep-alive']).toBe('timeout=620');
});

test('a closing server responds as long as requests arrive, then stops', async () => {
  const closing = await createTestApp({ sharedWith: t });
  await closing.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = closing.app.server.address() as AddressInfo;
  const agents = Array.from({ length: 4 }, keepAlive);
  for (const agent of agents) await request(port, agent, '/healthz');
  const closed = closing.close();
  // The last request arrives long after the server would stop waiting for an idle connection.
  for (const agent of agents.slice(1)) {
    await delay(300);
    const response = await request(port, agent, '/healthz');
    expect(response).toMatchObject({ statusCode: 200, headers: { connection: 'close' } });
  }
  await closed;
});

test('a closing server responds on a connection that only the operating system has accepted', async () => {
  const closing = await createTestApp({ sharedWith: t });
  await closing.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = closing.app.server.address() as AddressInfo;
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const client = new Worker(
    `const { get } = require('node:http');
    const { parentPort, workerData } = require('node:worker_threads');
    const answered = (response) => parentPort.postMessage(response.statusCode ?? response.code);
    get({ port: workerData.port, path: '/healthz' }, answered)
      .on('error', answered)
      .on('socket', (socket) => socket.on('connect', () => {
        Atomics.store(workerData.connected, 0, 1);
        Atomics.notify(workerData.connected, 0);
      }));`,
    { eval: true, workerData: { port, connected } },
  );
  const answered = once(client, 'message');
  await once(client, 'online');
  // Blocks this process, so that only the operating system accepts the connection.
  expect(Atomics.wait(connected, 0, 0, 10_000)).not.toBe('timed-out');
  await closing.app.stopListening();
  await closing.close();
  expect(await answered).toEqual([200]);
});

test('a closing server aborts responses that take too long', async () => {
  const closing = createHttpServer({
    logger: t.app.log as never,
    trustProxy: false,
    publicUrl: t.config.publicUrl,
    closingTimeoutMs: 50,
  });
  closing.get('/slow', (_request, reply) => void reply.hijack().raw.write('the first part'));
  await closing.listen({ port: 0, host: '127.0.0.1' });
  const slow = httpRequest({ port: (closing.server.address() as AddressInfo).port, path: '/slow' }).end();
  const [response] = (await once(slow, 'response')) as [IncomingMessage];
  const cut = once(response, 'error');
  await closing.close();
  expect(await cut).toMatchObject([{ code: 'ECONNRESET' }]);
});

const keepAlive = () => new Agent({ keepAlive: true, maxSockets: 1 });

/** Sends a request on the agent's connection and returns the response. */
function request(port: number, agent: Agent, url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest(
      { port, agent, path: url, headers: { authorization: `Bearer ${admin.token}` } },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response));
      },
    )
      .on('error', reject)
      .end();
  });
}
