/**
 * `node tools/integration/rolling-update.ts [REF] [--write]`: tests a rolling update under load. A server of an earlier release (REF,
 * by default the newest tag that is not on this commit) and a server of this checkout share a database for a minute. The new server
 * migrates the database while the old server runs. Then the old server is stopped. No request may fail. `--write` updates
 * docs/benchmarks.md.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts';
import { failures, figure, printFigures, storeFigures } from '../../bench/report.ts';
import { root } from '../install.mjs';
import { linkPackages } from '../link-packages.ts';
import { report, runTest, startProvider, startServer } from './fixture.ts';

const overlapMs = 60_000;
const callers = 4;
/** Time until a load balancer notices that a process is stopping. */
const detectionMs = 2_000;

const git = (...parameters: string[]) =>
  execFileSync('git', parameters, { cwd: root, maxBuffer: 2 ** 28, encoding: 'buffer' });
const isOption = (parameter: string) => parameter.startsWith('--');
const newestTag = () =>
  git('tag', '--list', 'v*', '--no-contains', 'HEAD', '--sort=-version:refname').toString().split('\n')[0];
const ref = process.argv.slice(2).find((one) => !isOption(one)) ?? newestTag();
if (!ref) throw new Error('There is no release before this commit. Name a commit: rolling-update.ts REF');

await runTest(async (directory, cleanup) => {
  const earlier = path.join(directory, 'earlier');
  execFileSync('mkdir', [earlier]);
  execFileSync('tar', ['--extract', '--directory', earlier], { input: git('archive', ref) });
  await linkPackages(earlier);
  const postgres = await startEmbeddedPostgres({ dataDirectory: path.join(directory, 'postgres') });
  cleanup.defer(() => postgres.stop());
  const { environment, call, token } = await startProvider(cleanup);
  const env = { ...environment, DATABASE_URL: postgres.url, SHUTDOWN_DELAY_SECONDS: '3' };

  let ports: number[] = [];
  let answered = 0;
  const wrong: string[] = [];
  const over = new AbortController();
  async function request(method: string, at: string, body?: unknown): Promise<string> {
    const port = ports[Math.floor(Math.random() * ports.length)] ?? 0;
    try {
      const response = await call(port, method, at, body);
      const text = await response.text();
      answered += 1;
      if (response.status !== 200) wrong.push(`${method} ${at}: ${response.status} ${text}`);
      return text;
    } catch (error) {
      wrong.push(`${method} ${at}: ${String((error as Error).cause ?? error)}`);
      return '';
    }
  }
  async function work(caller: number, attachmentId: string): Promise<void> {
    for (let round = 0; !over.signal.aborted; round += 1) {
      await request('GET', '/api/users/me');
      const created = await request('POST', '/api/invitations', { email: `${caller}.${round}@example.com` });
      const [, id = ''] = /"id":"([^"]+)"/.exec(created) ?? [];
      for (const list of ['invitations', 'people', 'activity', `invitations/${id}`])
        await request('GET', `/api/${list}`);
      for (const action of ['link', 'revoke']) await request('POST', `/api/invitations/${id}/${action}`);
      const link = await request('POST', '/api/attachments/links', {
        attachmentIds: [attachmentId],
        purpose: 'download',
      });
      await request('GET', /"path":"([^"]+)"/.exec(link)?.[1] ?? '/files/none');
      await delay(50);
    }
  }

  // Both processes need the files.
  const dataDirectory = path.join(directory, 'data');
  execFileSync('mkdir', [dataDirectory]);
  const old = await startServer(cleanup, { root: earlier, env, dataDirectory });
  report(`${ref} is ready`);
  ports = [old.ports.web];
  await request('GET', '/api/users/me');
  const attachmentId = await uploadFile(`http://127.0.0.1:${old.ports.web}`, token);
  const working = Promise.all(Array.from({ length: callers }, (_, caller) => work(caller, attachmentId)));
  await delay(2_000);
  const next = await startServer(cleanup, { env, dataDirectory });
  const meanwhile = answered;
  report(`this checkout is ready too; ${meanwhile} requests answered during its start`);
  ports.push(next.ports.web);
  await delay(overlapMs);
  const stopping = old.stop();
  await delay(detectionMs);
  ports = [next.ports.web];
  await stopping;
  await delay(2_000);
  over.abort();
  await working;
  const logged = [old, next].flatMap(({ output }) => output().split('\n'));
  wrong.push(...logged.filter((line) => line.includes('"level":50')));
  for (const line of wrong.slice(0, 20)) console.error(line);
  const name = `rolling update from ${ref}: requests answered while the new process migrated and started`;
  const figures = [
    figure(name, meanwhile, 'times'),
    figure('… requests answered in all', answered, 'times'),
    failures('… requests failed, and errors in either log', wrong.length),
  ];
  printFigures(figures);
  if (process.argv.includes('--write')) await storeFigures('update', figures);
});

/** Uploads a file by tus (https://tus.io/protocols/resumable-upload). Returns its id. */
async function uploadFile(origin: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' };
  const send = async (method: string, at: string, more: Record<string, string>, body?: string) => {
    const response = await fetch(origin + at, {
      method,
      headers: { ...headers, ...more },
      ...(body !== undefined && { body }),
    });
    if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${await response.text()}`);
    return response.headers.get('location') ?? '';
  };
  const metadata = { 'upload-length': '4', 'upload-metadata': `name ${btoa('file.txt')}` };
  const location = await send('POST', '/api/attachments/uploads', metadata);
  const part = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
  await send('PATCH', location, part, 'text');
  return location.split('/').at(-1) ?? '';
}
