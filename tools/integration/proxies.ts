/**
 * `node tools/integration/proxies.ts [nginx|caddy|haproxy …]`: starts the installed proxies with the files of deploy/. Checks the
 * requirements of docs/run-it.md with a recording server, then restarts two server processes under load and uploads 5 GB (needs 15
 * GB of disk). `--write` updates docs/benchmarks.md.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestOptions, type Server } from 'node:http';
import { connect } from 'node:http2';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { printFigures, type Figure } from '../../bench/report/figure.ts';
import { findFreePorts } from '../../e2e/fixtures/start-server.ts';
import { measureLargeUpload } from './behind-proxy/large-upload.ts';
import { measureRollingRestart } from './behind-proxy/rolling-restart.ts';
import { startSiteBehindProxy } from './behind-proxy/site.ts';
import { createCertificate } from './test-certificate.ts';
import { proxyKinds, siteName, startProxy, type ProxyKind } from './start-proxy.ts';
import { withTemporaryDirectory, storeFigures, report } from './fixture.ts';

const clientAddress = '127.0.0.5';
const pieceBytes = 32 * 1024 * 1024;
const stepMs = 300;

/** Responds to uploads, event streams, and other requests with their headers. `arrived` counts body bytes. */
async function startRecorder() {
  let arrived = 0;
  const server = createServer((incoming, answer) => {
    incoming.on('data', (bytes: Buffer) => (arrived += bytes.length));
    if (incoming.url === '/stream') {
      answer.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
      answer.write('data: first\n\n');
      return;
    }
    incoming.on('end', () => answer.end(JSON.stringify({ headers: incoming.headers, port: portOf(server) })));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: portOf(server), arrived: () => arrived };
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function testProxy(kind: ProxyKind, directory: string): Promise<string[]> {
  await using cleanup = new AsyncDisposableStack();
  const certificate = createCertificate(directory, [siteName]);
  const recorders = [await startRecorder(), await startRecorder()];
  for (const { server } of recorders)
    cleanup.defer(() => {
      server.close();
      server.closeAllConnections();
    });
  const { web: https, smtp: http } = await findFreePorts();
  const proxy = await startProxy(kind, {
    directory,
    certificate,
    ports: { https, http },
    processes: recorders.map(({ port }) => port),
  });
  cleanup.defer(() => proxy.end());
  // The first health check may precede the start of the process.
  await delay(stepMs);

  const ca = readFileSync(certificate.authority);
  const lead = { host: '127.0.0.1', port: https, servername: siteName, ca, localAddress: clientAddress };
  const send = ({
    headers: more,
    ...options
  }: Omit<RequestOptions, 'headers'> & { headers?: Record<string, string> }) =>
    request({ ...lead, agent: false, ...options, headers: { host: siteName, ...more } });
  const answerOf = async (sent: ReturnType<typeof send>) =>
    (await once(sent, 'response'))[0] as IncomingMessage;
  const results: string[] = [];

  const plain = send({ path: '/', headers: { 'x-forwarded-for': '1.2.3.4' } }).end();
  const { headers } = JSON.parse(await textOf(await answerOf(plain))) as { headers: Record<string, string> };
  assert.equal(headers['x-forwarded-for']?.split(',').at(-1)?.trim(), clientAddress);
  assert.equal(headers['x-forwarded-proto'], 'https');
  results.push('client address: forwarded, a client header is not trusted');

  const stream = await answerOf(send({ path: '/stream' }).end());
  const [first] = (await Promise.race([once(stream, 'data'), delay(2_000, ['nothing'])])) as [Buffer];
  assert.match(String(first), /data: first/);
  stream.destroy();
  results.push('event stream: the first event is not delayed');

  const arrivedBefore = recorders.reduce((sum, { arrived }) => sum + arrived(), 0);
  const arrived = () => recorders.reduce((sum, one) => sum + one.arrived(), 0) - arrivedBefore;
  const upload = send({
    path: '/upload',
    method: 'PATCH',
    headers: { 'content-length': String(pieceBytes) },
  });
  const chunk = Buffer.alloc(pieceBytes / 32);
  upload.write(chunk);
  await delay(stepMs);
  assert.ok(arrived() >= chunk.length / 2, `${arrived()} bytes of ${chunk.length} went through`);
  for (let sent = 1; sent < 32; sent += 1) upload.write(chunk);
  upload.end();
  assert.equal((await answerOf(upload)).statusCode, 200);
  assert.equal(arrived(), pieceBytes);
  results.push('uploads: 32 MB in one request, forwarded unbuffered');

  const session = connect(`https://127.0.0.1:${https}`, { servername: siteName, ca });
  const [answered] = (await once(session.request({ ':path': '/', ':authority': siteName }), 'response')) as [
    { ':status': number },
  ];
  assert.equal(answered[':status'], 200);
  session.destroy();
  results.push('HTTP/2: supported');

  const [gone, left] = recorders as [(typeof recorders)[0], (typeof recorders)[0]];
  gone.server.close();
  gone.server.closeAllConnections();
  for (let index = 0; index < 20; index += 1) {
    const answer = await answerOf(
      send({ path: '/', method: 'POST', headers: { 'content-length': '0' } }).end(),
    );
    assert.equal(answer.statusCode, 200);
    assert.equal((JSON.parse(await textOf(answer)) as { port: number }).port, left.port);
  }
  results.push('a stopped process: no request is lost, the other one responds');
  return results;
}

async function measureProxy(kind: ProxyKind, directory: string): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack();
  const site = await startSiteBehindProxy(cleanup, kind, directory);
  return [...(await measureRollingRestart(kind, site)), ...(await measureLargeUpload(kind, site))];
}

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
});
const named = positionals as ProxyKind[];
const figures: Figure[] = [];
for (const kind of named.length > 0 ? named : proxyKinds)
  await withTemporaryDirectory('proxy', async (directory) => {
    report(`${kind}\n${(await testProxy(kind, directory)).map((line) => `  ${line}`).join('\n')}`);
    const measured = await measureProxy(kind, directory);
    printFigures(measured);
    figures.push(...measured);
  });
if (given.write) storeFigures('proxies', figures);
