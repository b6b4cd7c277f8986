/**
 * Bursts: 64 calls of one kind at once, after a pause. No answer is a 5xx, and other users of the site wait at most twice as long
 * as during 64 calls of "who am I".
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { uploadsPath } from '@vestibule/contract/attachments';
import { changeDirectory, createDirectoryToken, scimPath } from '@vestibule/contract/directory';
import type { Figure } from '../report/figure.ts';
import { generateRequest, type Operation } from './request-generator.ts';
import { createFailureFigure, type Site } from './site.ts';

const atOnce = 64;
const pauseMs = 2_000;
const pauseOfGeneratedMs = 200;
const betweenProbesMs = 10;
const timeoutMs = 30_000;

type Call = { method: string; path: string; body?: unknown; headers?: Record<string, string> };
/** The call with this number among the 64. */
type Burst = (index: number) => Call | Promise<Call>;
type Tokens = { admin: string; scim: string };

/** Runs every burst on one server process. */
export async function runBursts(site: Site): Promise<Figure[]> {
  const server = await site.start(0);
  const admin = await site.join('bursts.admin@example.com', 'admin');
  const probe = await site.join('bursts.probe@example.com');
  const scim = await openDirectory(site, admin);
  const tokens = { admin, scim };

  const failures: string[] = [];
  const withoutRetryAfter: string[] = [];
  let calls = 0;
  let doneCalls = 0;

  async function run(name: string, burst: Burst, token: string, pause: number): Promise<number> {
    const prepared = await Promise.all(Array.from({ length: atOnce }, async (_, index) => burst(index)));
    await delay(pause);
    const watch = startProbe(site, probe);
    const answers = await Promise.all(prepared.map((call) => send(site, token, call)));
    const slowestMs = await watch.stop();
    calls += answers.length;
    doneCalls += answers.filter(({ status }) => status >= 200 && status < 300).length;
    const wrong = answers.filter(({ status }) => status === 0 || status >= 500);
    if (wrong.length > 0) failures.push(`${name}: ${wrong.length} × ${wrong[0]?.status} ${wrong[0]?.text}`);
    if (wrong.some(({ status, retryAfter }) => status === 503 && retryAfter === null))
      withoutRetryAfter.push(name);
    return slowestMs;
  }

  // The first round loads code and opens connections.
  const usual = () => run('who am I', () => ({ method: 'GET', path: '/api/users/me' }), admin, pauseMs);
  await usual();
  const usualMs = Math.max(await usual(), await usual(), await usual());
  const slow: string[] = [];
  let slowestMs = 0;
  const bursts = Object.entries(await createBursts(site, tokens));
  // Loads the code of lists.
  for (const [name, { burst, as }] of bursts.slice(0, 1)) await run(name, burst, tokens[as], pauseMs);
  for (const [name, { burst, as }] of bursts) {
    const waitedMs = await run(name, burst, tokens[as], pauseMs);
    slowestMs = Math.max(slowestMs, waitedMs);
    console.log(
      `   ${name.padEnd(40)} others waited ${waitedMs.toFixed(0)} ms (usual ${usualMs.toFixed(0)} ms)`,
    );
    if (waitedMs > 2 * usualMs) slow.push(`${name}: ${waitedMs.toFixed(0)} ms`);
  }
  const named = calls;

  const operations = await readOperations(site);
  for (const [method, path, operation] of operations) {
    // The caller may lose the role or the session by the operation itself.
    const caller = await site.join(`bursts.${randomUUID()}@example.com`, 'admin');
    const generate = () => {
      const { address, headers, body } = generateRequest([method, path, operation], 'valid', () =>
        randomUUID(),
      );
      return { method: method.toUpperCase(), path: address, headers, ...(body !== undefined && { body }) };
    };
    await run(`${method} ${path}`, generate, caller, pauseOfGeneratedMs);
  }
  const errors = (await server.output()).split('\n').filter((line) => line.includes('"level":50'));
  await server.stop();
  for (const line of [...failures, ...slow, ...errors.slice(0, 20)]) console.error(line);
  return [
    createFailureFigure(
      `bursts of ${atOnce} after a pause: ${named} calls of ${named / atOnce} kinds, and ${calls - named} of ${operations.length} operations (${doneCalls} done): answers 5xx, or none`,
      failures.length,
    ),
    createFailureFigure('… 503 without Retry-After', withoutRetryAfter.length),
    createFailureFigure(
      `… kinds during which others waited more than twice the ${usualMs.toFixed(0)} ms of 64 × "who am I" (slowest ${slowestMs.toFixed(0)} ms)`,
      slow.length,
    ),
  ];
}

/** Twenty-five calls that read and write, as users and directories send them. */
// oxlint-disable-next-line max-lines-per-function -- a table
async function createBursts(
  site: Site,
  tokens: Tokens,
): Promise<Record<string, { burst: Burst; as: keyof Tokens }>> {
  const run = randomUUID().slice(0, 8);
  const address = (kind: string, index: number) => `${kind}.${index}.${run}@example.com`;
  const get = (path: string) => ({ burst: () => ({ method: 'GET', path }), as: 'admin' as const });
  const post = (path: string, bodyOf: (index: number) => unknown) => ({
    burst: (index: number) => ({ method: 'POST', path, body: bodyOf(index) }),
    as: 'admin' as const,
  });
  const scimUser = (kind: string, index: number, more: object = {}) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: address(kind, index),
    displayName: `User ${index}`,
    active: true,
    ...more,
  });
  const patch = (operations: object[]) => ({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: operations,
  });
  async function create(path: string, body: unknown, as: keyof Tokens): Promise<string> {
    const answer = await send(site, tokens[as], { method: 'POST', path, body });
    const id = (JSON.parse(answer.text) as { id?: string }).id;
    if (id === undefined) throw new Error(`POST ${path} answered ${answer.status} ${answer.text}`);
    return id;
  }
  /** A burst on objects that are created one after the other before it. */
  const on = (
    as: keyof Tokens,
    make: (index: number) => Promise<string>,
    callOf: (id: string, index: number) => Call,
  ) => {
    let before: Promise<unknown> = Promise.resolve();
    return {
      as,
      burst: (index: number) => {
        const made = before.then(() => make(index));
        before = made;
        return made.then((id) => callOf(id, index));
      },
    };
  };
  const user = (kind: string) => (index: number) =>
    create(`${scimPath}/Users`, scimUser(kind, index), 'scim');
  const invitation = (kind: string) => (index: number) =>
    create('/api/invitations', { email: address(kind, index) }, 'admin');
  async function person(kind: string, index: number): Promise<string> {
    await site.join(address(kind, index));
    const { rows } = await site.database.query<{ id: string }>('select id from people where email = $1', [
      address(kind, index),
    ]);
    return (rows[0] as { id: string }).id;
  }
  return {
    'list of people': get('/api/people'),
    'list of invitations': get('/api/invitations'),
    activity: get('/api/activity'),
    dashboard: get('/api/dashboard'),
    attachments: get('/api/attachments'),
    settings: get('/api/settings'),
    configuration: get('/api/config'),
    'dashboard figures': get('/api/dashboard/figures'),
    'invite one': post('/api/invitations', (index) => ({ email: address('one', index) })),
    'invite the same': post('/api/invitations', () => ({ email: address('same', 0) })),
    'invite a list': {
      as: 'admin',
      burst: (index) => ({
        method: 'POST',
        path: '/api/invitations/batches',
        headers: { 'idempotency-key': `${run}-${index}` },
        body: { rows: Array.from({ length: 10 }, (_, row) => ({ email: address(`list.${row}`, index) })) },
      }),
    },
    resend: on('admin', invitation('resend'), (id) => ({
      method: 'POST',
      path: `/api/invitations/${id}/resend`,
      body: {},
    })),
    renew: on('admin', invitation('renew'), (id) => ({
      method: 'POST',
      path: `/api/invitations/${id}/renew`,
      body: {},
    })),
    revoke: on('admin', invitation('revoke'), (id) => ({
      method: 'POST',
      path: `/api/invitations/${id}/revoke`,
      body: {},
    })),
    'invite token': post('/api/users/invite-token', () => ({ code: 'x'.repeat(26) })),
    'change a role': on(
      'admin',
      (index) => person('role', index),
      (id) => ({
        method: 'POST',
        path: `/api/people/${id}/role`,
        body: { role: 'admin' },
      }),
    ),
    'disable a person': on(
      'admin',
      (index) => person('disable', index),
      (id) => ({
        method: 'POST',
        path: `/api/people/${id}/disable`,
        body: {},
      }),
    ),
    'upload a file': {
      as: 'admin',
      burst: (index) => ({
        method: 'POST',
        path: uploadsPath,
        headers: {
          'tus-resumable': '1.0.0',
          'upload-length': '4',
          'upload-metadata': `name ${btoa(`burst-${index}.txt`)}`,
          'content-type': 'application/offset+octet-stream',
        },
        body: 'text',
      }),
    },
    'SCIM: find a user': {
      as: 'scim',
      burst: (index) => ({
        method: 'GET',
        path: `${scimPath}/Users?filter=${encodeURIComponent(`userName eq "${address('none', index)}"`)}`,
      }),
    },
    'SCIM: create a user': {
      as: 'scim',
      burst: (index) => ({ method: 'POST', path: `${scimPath}/Users`, body: scimUser('scim', index) }),
    },
    'SCIM: replace a user': on('scim', user('put'), (id, index) => ({
      method: 'PUT',
      path: `${scimPath}/Users/${id}`,
      body: scimUser('put', index, { displayName: 'Replaced' }),
    })),
    'SCIM: change an address': on('scim', user('address'), (id, index) => ({
      method: 'PATCH',
      path: `${scimPath}/Users/${id}`,
      body: patch([{ op: 'replace', path: 'userName', value: address('moved', index) }]),
    })),
    'SCIM: switch a user off': on('scim', user('off'), (id) => ({
      method: 'PATCH',
      path: `${scimPath}/Users/${id}`,
      body: patch([{ op: 'replace', path: 'active', value: false }]),
    })),
    'SCIM: switch a user on': on(
      'scim',
      (index) => create(`${scimPath}/Users`, scimUser('on', index, { active: false }), 'scim'),
      (id) => ({
        method: 'PATCH',
        path: `${scimPath}/Users/${id}`,
        body: patch([{ op: 'replace', path: 'active', value: true }]),
      }),
    ),
    'SCIM: delete a user': on('scim', user('delete'), (id) => ({
      method: 'DELETE',
      path: `${scimPath}/Users/${id}`,
    })),
    'SCIM: create a group': {
      as: 'scim',
      burst: (index) => ({
        method: 'POST',
        path: `${scimPath}/Groups`,
        body: {
          schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
          displayName: `Group ${run} ${index}`,
        },
      }),
    },
  };
}

/** Turns directory sync on. Returns the directory's token. */
async function openDirectory(site: Site, admin: string): Promise<string> {
  const made = await send(site, admin, { method: 'POST', path: createDirectoryToken.path, body: {} });
  const changed = await send(site, admin, {
    method: 'PATCH',
    path: changeDirectory.path,
    body: { isOn: true },
  });
  if (changed.status !== 200) throw new Error(changed.text);
  return (JSON.parse(made.text) as { token: string }).token;
}

/** Calls "who am I" again and again until it is stopped; `stop` returns the slowest answer in milliseconds. */
function startProbe(site: Site, token: string): { stop(): Promise<number> } {
  const stopping = new AbortController();
  let slowestMs = 0;
  const running = (async () => {
    do {
      const startedAt = performance.now();
      await send(site, token, { method: 'GET', path: '/api/users/me' });
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      await delay(betweenProbesMs);
    } while (!stopping.signal.aborted);
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
      return slowestMs;
    },
  };
}

async function send(site: Site, token: string, { method, path, body, headers = {} }: Call) {
  const isText = typeof body === 'string' || body instanceof Uint8Array;
  try {
    const answer = await fetch(site.urls[0] + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'sec-fetch-site': 'same-origin',
        ...(body !== undefined && !isText && { 'content-type': contentTypeOf(path) }),
        ...headers,
      },
      ...(body !== undefined && { body: isText ? (body as string) : JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const isEndless = answer.headers.get('content-type')?.startsWith('text/event-stream');
    if (isEndless) await answer.body?.cancel();
    const text = isEndless ? '' : await answer.text();
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text };
  } catch (error) {
    return { status: 0, retryAfter: null, text: String((error as Error).cause ?? error) };
  }
}

const contentTypeOf = (path: string) =>
  path.startsWith(scimPath) ? 'application/scim+json' : 'application/json';

async function readOperations(site: Site): Promise<[method: string, path: string, Operation][]> {
  const api = (await (await fetch(`${site.urls[0]}/api/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
      method,
      path,
      operation,
    ]),
  );
}
