/** Tests the check for leaked codes and tokens that runs after all browser tests (security 27). */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createShortCodes } from '../../apps/server/src/features/invitations/link/short-code.ts';
import { findLeakedSecrets } from '../../e2e/fixtures/leaked-secrets.ts';

const secret = 'a secret of the tests, 32 characters or more';
const id = '0192f0c1-2345-7abc-8def-0123456789ab';
const { codeOf } = createShortCodes(Buffer.from(secret));
const jwt = [{ alg: 'RS256' }, { sub: 'user', aud: 'us' }, 'signature of it']
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.');
const personal = `vst_${'a1B2c3D4'.repeat(6).slice(0, 43)}`;

let dataDirectory: string;
beforeAll(async () => {
  dataDirectory = await mkdtemp(path.join(tmpdir(), 'vestibule-leaks-'));
  await writeFile(path.join(dataDirectory, 'secret'), `${secret}\n`);
});
afterAll(() => rm(dataDirectory, { recursive: true }));

/** Returns a query function for a database with one invitation, renewed twice, and these audit rows. */
const databaseWith = (rows: string[]) => (text: string) => {
  if (text.includes('information_schema')) return Promise.resolve([{ name: 'public.audit_log' }]);
  if (text.includes('code_version')) return Promise.resolve([{ id, version: 2 }]);
  return Promise.resolve(rows.map((row) => ({ row })));
};
const look = (log: string, rows: string[] = []) => findLeakedSecrets(log, dataDirectory, databaseWith(rows));

test('finds nothing in an ordinary log and ordinary rows', async () => {
  const log = `First administrator: https://portal.example.com/signup?i=${codeOf(id)}
{"level":30,"reqId":"a126e99b854528ef","method":"GET","path":"/api/attachments/${id}","status":200,"msg":"answered"}
"${randomBytes(32).toString('hex')}" at /work/node_modules/fastify/lib/handle-request.js:190:24`;
  expect(await look(log, [`(1,invitation.created,${id},"\\x${randomBytes(32).toString('hex')}")`])).toEqual(
    [],
  );
});

test.each([
  ['a JWT', jwt],
  ['a personal access token', personal],
  ['the code of an invitation', codeOf(id, 2)],
  ['a code that a renewal has replaced', codeOf(id)],
])('finds %s in the log and in a table', async (_what, leaked) => {
  expect((await look(`{"msg":"refused ${leaked}"}`)).join()).toContain(leaked);
  expect((await look('', [`(1,"${leaked}")`])).join()).toContain(`public.audit_log holds`);
});

test('finds any 256-bit value in the log: refresh tokens, authorization codes, cookies, tickets', async () => {
  for (let time = 0; time < 200; time += 1)
    expect(await look(`{"cookie":"${randomBytes(32).toString('base64url')}"}`)).toHaveLength(1);
});
