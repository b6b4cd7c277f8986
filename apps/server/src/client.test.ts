/** The API client against a real server, and as a published package (Q4). */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createToken, Scope } from '@vestibule/contract/profile/tokens';
import { afterAll, describe, expect, test } from 'vitest';
import { createTestApp } from './test/test-app.ts';
import { contractRoutes } from './test/test-routes.ts';
import {
  createVestibuleClient,
  VestibuleError,
  type VestibuleClient,
} from '../../../packages/client/src/client.ts';

const run = promisify(execFile);
const t = await createTestApp();
const url = await t.app.listen({ port: 0, host: '127.0.0.1' });
const admin = await t.join('admin@example.com', 'admin');
const created = await t.callAs(admin, createToken, {
  body: { name: 'Client', scopes: [...Scope.options], days: 1 },
});
const { token } = created.body;
const client: VestibuleClient = createVestibuleClient({ url, token });
afterAll(() => t.close());

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error as VestibuleError,
  );

test('the client has a method for every route that tokens may call, and for no other route', () => {
  const expected = contractRoutes.filter(({ scope }) => scope !== undefined);
  const methods = Object.entries(client).filter(([name]) => name !== 'each');
  expect(methods.length).toBe(expected.length);
  expect(client).not.toHaveProperty('createToken');
});

test('the client invites, lists and revokes; a refused call throws an error with its code and fields', async () => {
  const invitation = await client.invite({ body: { email: 'ann@example.com', name: 'Ann' } });
  expect(invitation).toMatchObject({ email: 'ann@example.com', status: 'pending' });
  const duplicate = await failure(client.invite({ body: { email: 'ann@example.com' } }));
  expect(duplicate).toBeInstanceOf(VestibuleError);
  expect(duplicate).toMatchObject({ status: 409, code: 'invitation.already_invited' });
  const wrong = await failure(client.invite({ body: { email: 'no address' } }));
  expect(wrong).toMatchObject({
    status: 400,
    fields: { email: expect.stringContaining('name@example.com') as string },
  });
  const revoked = await client.revokeInvitation({ params: { invitationId: invitation.id } });
  expect(revoked.status).toBe('revoked');
});

test('`each` reads the pages of a list until the caller stops', async () => {
  const rows = Array.from({ length: 25 }, (_, index) => ({
    email: `listed-${String(index).padStart(2, '0')}@example.com`,
  }));
  await client.createBatch({ headers: { 'idempotency-key': 'list' }, body: { rows } });
  const query = { search: 'listed-', sort: 'email' as const, limit: 10 };
  const all: string[] = [];
  for await (const { email } of client.each.listInvitations({ query })) all.push(email);
  expect(all).toEqual(rows.map(({ email }) => email));
  const first = await client.each.listInvitations({ query }).next();
  expect(first.value).toMatchObject({ email: 'listed-00@example.com' });
});

test('`each` reads a whole list even if the caller removes rows from it meanwhile', async () => {
  const rows = Array.from({ length: 25 }, (_, index) => ({ email: `taken-${index}@example.com` }));
  await client.createBatch({ headers: { 'idempotency-key': 'taken' }, body: { rows } });
  const filters = JSON.stringify([{ column: 'status', is: 'oneOf', values: ['pending'] }]);
  const query = { search: 'taken-', sort: 'email' as const, filters, limit: 4 };
  const remainsAfterwards = (email: string) => /[37]@/.test(email);
  const all: string[] = [];
  for await (const { id, email } of client.each.listInvitations({ query })) {
    all.push(email);
    if (!remainsAfterwards(email)) await client.revokeInvitation({ params: { invitationId: id } });
  }
  expect(all.toSorted()).toEqual(rows.map(({ email }) => email).toSorted());
  const remaining = await client.listInvitations({ query: { ...query, limit: 100 } });
  expect(remaining.rows.every(({ email }) => remainsAfterwards(email))).toBe(true);
});

test('an export is returned as a stream', async () => {
  const csv = await text(await client.exportInvitations({ body: { format: 'csv', search: 'listed-' } }));
  expect(csv.split('\n').filter((line) => line.includes('listed-'))).toHaveLength(25);
});

describe('retries of the client', () => {
  const servers: Server[] = [];
  afterAll(() => servers.forEach((server) => server.close().closeAllConnections()));

  async function startRefusing(times: number, refuse: RequestListener) {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      if (requests.length <= times) return refuse(request, response);
      response.setHeader('content-type', 'application/json');
      return response.end('{"rows": [], "total": 0}');
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return {
      requests,
      client: createVestibuleClient({ url: `http://127.0.0.1:${port}`, token, retries: 2 }),
    };
  }
  const body = { rows: [{ email: 'ann@example.com' }] };

  test('repeat any request after a 429 response and the requested delay', async () => {
    const site = await startRefusing(1, (_request, response) =>
      response.writeHead(429, { 'retry-after': '1' }).end(),
    );
    const began = performance.now();
    await site.client.invite({ body: { email: 'ann@example.com' } });
    expect(performance.now() - began).toBeGreaterThan(950);
    expect(site.requests).toHaveLength(2);
  });

  test('do not happen after a 429 with a delay above a minute; the call throws immediately', async () => {
    const site = await startRefusing(9, (_request, response) =>
      response.writeHead(429, { 'retry-after': '61' }).end(),
    );
    expect(await failure(site.client.listPeople())).toMatchObject({ status: 429, retryAfterSeconds: 61 });
    expect(site.requests).toHaveLength(1);
  });

  test.each([
    ['a 503 response', (_request, response) => response.writeHead(503).end()],
    ['a broken connection', (request) => request.socket.destroy()],
    [
      'a truncated response',
      (request, response) =>
        response
          .writeHead(200, { 'content-length': '99' })
          .write('{"rows": [', () => request.socket.destroy()),
    ],
  ] satisfies [string, RequestListener][])(
    'repeat only idempotent requests after %s',
    async (_what, refuse) => {
      const reading = await startRefusing(1, refuse);
      await reading.client.listPeople();
      expect(reading.requests).toHaveLength(2);
      const withKey = await startRefusing(1, refuse);
      await withKey.client.createBatch({ headers: { 'idempotency-key': 'list' }, body });
      expect(withKey.requests).toHaveLength(2);
      const writing = await startRefusing(1, refuse);
      expect(await failure(writing.client.invite({ body: { email: 'ann@example.com' } }))).not.toBeNull();
      expect(writing.requests).toHaveLength(1);
    },
  );

  test('stop at the configured number of retries and when the call is aborted', async () => {
    const site = await startRefusing(9, (_request, response) => response.writeHead(503).end());
    expect(await failure(site.client.listPeople())).toMatchObject({ status: 503 });
    expect(site.requests).toHaveLength(3);
    const call = new AbortController();
    const stopped = await startRefusing(9, (_request, response) =>
      response.writeHead(503, { 'retry-after': '30' }).end(() => setTimeout(() => call.abort(), 100)),
    );
    expect(await failure(stopped.client.listPeople({ signal: call.signal }))).toMatchObject({
      name: 'AbortError',
    });
    expect(stopped.requests).toHaveLength(1);
  });

  test('do not follow redirects, which could leak the token', async () => {
    const site = await startRefusing(9, (_request, response) =>
      response.writeHead(302, { location: '/elsewhere' }).end(),
    );
    expect(await failure(site.client.invite({ body: { email: 'ann@example.com' } }))).not.toBeNull();
    expect(site.requests).toEqual(['POST /api/invitations']);
  });
});

test('the packed package works outside this repository, with its types (Q4)', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'vestibule-client-'));
  const root = path.join(import.meta.dirname, '..', '..', '..');
  const packageDirectory = path.join(root, 'packages', 'client');
  const modules = path.join(root, 'node_modules');
  const installed = path.join(directory, 'node_modules', '@vestibule', 'client');
  try {
    await run('npm', ['pack', '--silent', '--pack-destination', directory], { cwd: packageDirectory });
    await writeFile(path.join(directory, 'package.json'), '{"type": "module"}');
    // The only dependency is linked from this repository, so that nothing is downloaded.
    const [packed = ''] = (await readdir(directory)).filter((name) => name.endsWith('.tgz'));
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', packed, '-C', installed, '--strip-components=1'], { cwd: directory });
    await symlink(path.join(modules, 'zod'), path.join(directory, 'node_modules', 'zod'));
    const program = `import { createVestibuleClient } from '@vestibule/client';
      const client = createVestibuleClient({ url: ${JSON.stringify(url)}, token: ${JSON.stringify(token)} });
      for await (const person of client.each.listPeople()) console.log(person.email);
    `;
    await writeFile(path.join(directory, 'program.js'), program);
    expect((await run(process.execPath, ['program.js'], { cwd: directory })).stdout.trim()).toBe(
      'admin@example.com',
    );

    const page = await readFile(path.join(root, 'docs', 'automate-invitations.md'), 'utf8');
    await writeFile(path.join(directory, 'example.js'), /^```js\n([\s\S]+?)^```$/m.exec(page)?.[1] ?? '');
    const environment = { ...process.env, VESTIBULE: url, TOKEN: token };
    const { stdout } = await run(process.execPath, ['example.js'], { cwd: directory, env: environment });
    expect(stdout).toContain('ellen@example.com pending');
    expect(stdout).toContain('fritz@example.com pending');

    await writeFile(
      path.join(directory, 'right.ts'),
      `${program}export const role: 'admin' | 'member' = (await client.getPerson({ params: { personId: '' } })).role;`,
    );
    await writeFile(
      path.join(directory, 'wrong.ts'),
      `${program}await client.invite({ body: { mail: 'ann@example.com' } });`,
    );
    await symlink(path.join(modules, '@types'), path.join(directory, 'node_modules', '@types'));
    const check = (...files: string[]) =>
      run(
        process.execPath,
        [
          path.join(modules, 'typescript', 'bin', 'tsc'),
          '--noEmit',
          '--strict',
          '--target',
          'es2024',
          '--module',
          'nodenext',
          '--types',
          'node',
          ...files,
        ],
        { cwd: directory },
      );
    await expect(check('right.ts', 'wrong.ts')).rejects.toMatchObject({
      stdout: expect.stringMatching(/^wrong\.ts\(.+mail.+\n$/) as string,
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
