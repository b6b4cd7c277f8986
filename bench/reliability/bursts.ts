/**
 * Tests bursts: 64 calls of one kind at once, after a pause. No response may have a status 5xx, at least one call of each kind succeeds
 * (limits refuse some of the others), and another user may wait at most twice as long as during 64 calls of "who am I".
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { uploadsPath } from '@vestibule/contract/attachments';
import { changeDirectory, createDirectoryToken, scimPath } from '@vestibule/contract/directory';
import type { Site } from '../harness/site.ts';
import { options } from '../options.ts';
import { failures, type Figure } from '../report.ts';

const atOnce = 64;
const betweenProbesMs = 10;
const timeoutMs = 30_000;

type Call = { method: string; path: string; body?: unknown; headers?: Record<string, string>; token: string };
/** The code of the token is wrong, and a mail that has not been sent yet is not sent again. */
const kindsThatMayFail = new Set(['invite token', 'resend']);

/** Returns the call with this number among the 64. */
type Burst = (index: number) => Call | Promise<Call>;

/** Runs every burst on one server process. */
export async function runBursts(site: Site): Promise<Figure[]> {
  const server = await site.start(0);
  const admin = await site.join('bursts.admin@example.com', 'admin');
  const probe = await site.join('bursts.probe@example.com');
  const wrong: string[] = [];

  /** Returns the time of the slowest response to another user, in milliseconds. */
  async function run(name: string, burst: Burst): Promise<number> {
    const calls = await Promise.all(Array.from({ length: atOnce }, async (_, index) => burst(index)));
    await delay(options.pauseSeconds * 1000);
    const watch = startProbe(site, probe);
    const responses = await Promise.all(calls.map((call) => send(site, call)));
    const failed = responses.filter(({ status }) => status === 0 || status >= 500);
    wrong.push(...failed.map(({ status, text }) => `${name}: ${status} ${text}`));
    if (!kindsThatMayFail.has(name) && !responses.some(({ status }) => status >= 200 && status < 300))
      wrong.push(`${name}: no call succeeded, ${responses[0]?.status} ${responses[0]?.text}`);
    return watch();
  }

  const usual = () => run('who am I', () => ({ method: 'GET', path: '/api/users/me', token: admin }));
  // The first round loads code and opens connections.
  await usual();
  const usualMs = Math.max(await usual(), await usual(), await usual());
  const bursts = Object.entries(createBursts(site, admin, await openDirectory(site, admin)));
  // Loads the code of lists.
  await run('people', (index) => bursts[0]?.[1](index) as Call);
  const slow: string[] = [];
  let slowestMs = 0;
  for (const [name, burst] of bursts) {
    const waitedMs = await run(name, burst);
    slowestMs = Math.max(slowestMs, waitedMs);
    if (waitedMs > 2 * usualMs) slow.push(`${name}: ${waitedMs.toFixed(0)} ms`);
  }
  await server.stop();
  for (const line of [...wrong, ...slow]) console.error(line);
  return [
    failures(
      `bursts of ${atOnce} calls of ${bursts.length} kinds after a pause: responses 5xx, or none`,
      wrong.length,
    ),
    failures(
      `… kinds during which others waited more than twice the ${usualMs.toFixed(0)} ms of ${atOnce} × "who am I" (slowest ${slowestMs.toFixed(0)} ms)`,
      slow.length,
    ),
  ];
}

function createBursts(site: Site, admin: string, scim: string): Record<string, Burst> {
  const run = randomUUID().slice(0, 8);
  const address = (kind: string, index: number) => `${kind}.${index}.${run}@example.com`;
  const get = (path: string) => () => ({ method: 'GET', path, token: admin });
  const post = (path: string, body: unknown = {}, token = admin) => ({ method: 'POST', path, body, token });
  const users = `${scimPath}/Users`;
  const createUser = (kind: string) => (index: number) => ({
    method: 'POST',
    path: users,
    body: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: address(kind, index),
      displayName: `User ${index}`,
      active: true,
    },
    token: scim,
  });
  const patchUser = (id: string, path: string, value: unknown) => ({
    method: 'PATCH',
    path: `${users}/${id}`,
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path, value }],
    },
    token: scim,
  });
  const createInvitation = (kind: string) => (index: number) =>
    post('/api/invitations', { email: address(kind, index) });
  /** Returns a burst in which each call has its own object. The objects are created one after another before the burst. */
  function on(
    create: (index: number) => Call,
    call: (id: string, index: number) => Call | Promise<Call>,
  ): Burst {
    let previous: Promise<unknown> = Promise.resolve();
    return (index) => {
      const created = previous.then(async () => {
        const { status, text } = await send(site, create(index));
        const { id } = JSON.parse(text) as { id?: string };
        if (id === undefined) throw new Error(`${create(index).path} answered ${status} ${text}`);
        return id;
      });
      previous = created;
      return created.then((id) => call(id, index));
    };
  }
  return {
    'list of people': get('/api/people'),
    'list of invitations': get('/api/invitations'),
    activity: get('/api/activity'),
    dashboard: get('/api/dashboard'),
    attachments: get('/api/attachments'),
    organizations: get('/api/organizations'),
    settings: get('/api/settings'),
    webhooks: get('/api/webhooks'),
    tokens: get('/api/tokens'),
    search: get('/api/people?search=burst'),
    'search of invitations': get('/api/invitations?search=burst'),
    'export of people': () => post('/api/people/export', { columns: ['email'], sort: 'email' }),
    'options of a passkey': () => post('/api/sign-in/passkey/options', {}, ''),
    'sign-in code': (index) => post('/api/sign-in/code', { address: address('code', index) }, ''),
    'sign up': on(createInvitation('sign-up'), async (invitationId, index) => {
      const email = address('sign-up', index);
      const token = await site.provider.issueToken({ sub: email, emails: [email], invitationId });
      return { method: 'GET', path: '/api/users/me', token };
    }),
    'invite one': createInvitation('one'),
    'invite the same': () => createInvitation('same')(0),
    'invite a list': (index) => ({
      ...post('/api/invitations/batches', {
        rows: Array.from({ length: 10 }, (_, row) => ({ email: address(`list.${row}`, index) })),
      }),
      headers: { 'idempotency-key': `${run}-${index}` },
    }),
    resend: on(createInvitation('resend'), (id) => post(`/api/invitations/${id}/resend`)),
    revoke: on(createInvitation('revoke'), (id) => post(`/api/invitations/${id}/revoke`)),
    'invite token': () => post('/api/users/invite-token', { code: 'x'.repeat(26) }),
    'upload a file': (index) => ({
      ...post(uploadsPath, 'text'),
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '4',
        'upload-metadata': `name ${btoa(`burst-${index}.txt`)}`,
        'content-type': 'application/offset+octet-stream',
      },
    }),
    'SCIM: list': () => ({ method: 'GET', path: users, token: scim }),
    'SCIM: create a user': createUser('scim'),
    'SCIM: change an address': on(createUser('address'), (id, index) =>
      patchUser(id, 'userName', address('moved', index)),
    ),
    'SCIM: switch a user off': on(createUser('off'), (id) => patchUser(id, 'active', false)),
  };
}

/** Turns directory sync on. Returns the directory's token. */
async function openDirectory(site: Site, token: string): Promise<string> {
  const created = await send(site, { method: 'POST', path: createDirectoryToken.path, body: {}, token });
  await send(site, { method: 'PATCH', path: changeDirectory.path, body: { isOn: true }, token });
  return (JSON.parse(created.text) as { token: string }).token;
}

/**
 * Calls "who am I" repeatedly. Returns a function that stops this and returns the time of the slowest response in
 * milliseconds.
 */
function startProbe(site: Site, token: string): () => Promise<number> {
  const stopping = new AbortController();
  let slowestMs = 0;
  const running = (async () => {
    do {
      const startedAt = performance.now();
      await send(site, { method: 'GET', path: '/api/users/me', token });
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      await delay(betweenProbesMs);
    } while (!stopping.signal.aborted);
  })();
  return async () => {
    stopping.abort();
    await running;
    return slowestMs;
  };
}

/** Returns status 0 if there is no response. */
async function send(
  site: Site,
  { method, path, body, headers, token }: Call,
): Promise<{ status: number; text: string }> {
  const type = path.startsWith(scimPath) ? 'application/scim+json' : 'application/json';
  try {
    const response = await fetch(site.urls[0] + path, {
      method,
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        'sec-fetch-site': 'same-origin',
        ...(body !== undefined && { 'content-type': type }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    return { status: 0, text: String((error as Error).cause ?? error) };
  }
}
