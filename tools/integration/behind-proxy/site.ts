/** Starts two server processes on one database behind a proxy of deploy/, with an administrator who uses an access token. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts';
import {
  findFreePorts,
  createDataDirectory,
  removeDataDirectory,
  spawnServer,
  type ServerProcess,
} from '../../../e2e/fixtures/start-server.ts';
import { createCertificate } from '../test-certificate.ts';
import { siteName, startProxy, type ProxyKind } from '../start-proxy.ts';
import type { Program } from '../run-program.ts';
import { startProvider } from '../fixture.ts';

const adminEmail = 'ada@example.com';

type Sent = { headers?: Record<string, string>; body?: Readable | string };
export type Answer = { status: number; headers: IncomingMessage['headers']; text: string };
/** Returns status and body of any response. Rejects if the connection breaks. */
export type SendRequest = (method: string, path: string, sent?: Sent) => Promise<Answer>;

export type SiteBehindProxy = {
  proxy: Program;
  database: pg.Pool;
  proxyDirectory: string;
  attachments: string;
  processes: ServerProcess[];
  /** `send` calls through the proxy, `sendDirectly` each process. */
  send: SendRequest;
  sendDirectly: SendRequest[];
  restart(index: number): Promise<void>;
};

function caller(
  port: number,
  authority: string | null,
  token: string,
): { send: SendRequest; close: () => void } {
  const agent = authority
    ? new HttpsAgent({ keepAlive: true, ca: readFileSync(authority), servername: siteName })
    : new HttpAgent({ keepAlive: true });
  const send: SendRequest = async (method, at, { headers, body } = {}) => {
    const sent = (authority ? httpsRequest : httpRequest)({
      host: '127.0.0.1',
      port,
      path: at,
      method,
      agent,
      headers: {
        host: siteName,
        authorization: `Bearer ${token}`,
        ...(typeof body === 'string' && {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        }),
        ...headers,
      },
    });
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    if (body === undefined || typeof body === 'string') sent.end(body);
    // `answered` reports errors of the request.
    else pipeline(body, sent).catch(() => {});
    const [answer] = await answered;
    return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
  };
  return { send, close: () => agent.destroy() };
}

export async function startSiteBehindProxy(
  cleanup: AsyncDisposableStack,
  kind: ProxyKind,
  directory: string,
): Promise<SiteBehindProxy> {
  const dataDirectory = await createDataDirectory();
  cleanup.defer(() => removeDataDirectory(dataDirectory));
  const postgres = await startEmbeddedPostgres({ dataDirectory: path.join(dataDirectory, 'postgres') });
  cleanup.defer(() => postgres.stop());
  const database = new pg.Pool({ connectionString: postgres.url, max: 1 });
  cleanup.defer(() => database.end());
  const { token, environment } = await startProvider(cleanup, adminEmail);
  const { web: https, smtp: http } = await findFreePorts();
  const ports = [await findFreePorts(), await findFreePorts()];
  const start = async (index: number): Promise<ServerProcess> => {
    const server = await spawnServer({
      dataDirectory,
      ports: ports[index] as (typeof ports)[0],
      env: {
        ...environment,
        ADMIN_EMAIL: adminEmail,
        DATABASE_URL: postgres.url,
        PUBLIC_URL: `https://${siteName}:${https}`,
      },
    });
    cleanup.defer(() => server.stop());
    await server.ready();
    return server;
  };
  const processes = [await start(0), await start(1)];
  const certificate = createCertificate(directory, [siteName]);
  const proxy = await startProxy(kind, {
    directory,
    certificate,
    ports: { https, http },
    processes: ports.map(({ web }) => web),
  });
  cleanup.defer(() => proxy.end());
  const through = caller(https, certificate.authority, token);
  const direct = ports.map(({ web }) => caller(web, null, token));
  for (const { close } of [through, ...direct]) cleanup.defer(close);
  // The first call creates the administrator.
  const first = await (direct[0] as (typeof direct)[0]).send('GET', '/api/users/me');
  assert.equal(first.status, 200, first.text);
  return {
    proxy,
    database,
    proxyDirectory: path.join(directory, kind),
    attachments: path.join(dataDirectory, 'attachments'),
    processes,
    send: through.send,
    sendDirectly: direct.map(({ send }) => send),
    async restart(index) {
      processes[index] = await start(index);
    },
  };
}
