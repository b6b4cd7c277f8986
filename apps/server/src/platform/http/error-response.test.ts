import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import pino from 'pino';
import { expect, test } from 'vitest';
import { collectLog } from '../../test/test-log.ts';
import { sendErrors } from './error-response.ts';
import { createHttpServer } from './http-server.ts';

test('a download whose client disconnects before the first byte is not logged as an error', async () => {
  const lines: string[] = [];
  const app = createHttpServer({
    logger: pino(collectLog(lines)),
    trustProxy: false,
    publicUrl: 'https://portal.example',
  });
  sendErrors(app, (_request, reply) => reply.code(404).send());
  app.post('/export', async (request, reply) => {
    request.raw.socket.destroy();
    await once(reply.raw, 'close');
    return reply.send(Readable.from(['contents']));
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const body = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
  await expect(fetch(`http://127.0.0.1:${port}/export`, body)).rejects.toThrow('fetch failed');
  await expect.poll(() => lines.join('')).toContain('the client disconnected');
  await app.close();
  expect(lines.join('')).not.toContain('"level":50');
});
