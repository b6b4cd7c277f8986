/** Runs the examples of docs/automate-invitations.md with curl against a server. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createToken, Scope } from '@vestibule/contract/profile/tokens';
import { expect, test } from 'vitest';
import { closeAfterTests } from '../../test/test-close.ts';
import { createTestApp } from '../../test/test-app.ts';

const page = readFileSync(
  fileURLToPath(new URL('../../../../../docs/automate-invitations.md', import.meta.url)),
  'utf8',
);
const examples = [...page.matchAll(/^## (.+)$|^```sh\n([\s\S]+?)^```$/gm)].reduce<[string, string][]>(
  (found, [, title, code]) => {
    if (title) found.push([title, '']);
    else if (code?.startsWith('curl')) found.push([found.at(-1)?.[0] ?? '', code]);
    return found;
  },
  [],
);
const curls = examples.filter(([, code]) => code !== '');

const environment: Record<string, string> = {};
const t = closeAfterTests(await createTestApp());
await t.app.listen({ port: 0, host: '127.0.0.1' });
environment['VESTIBULE'] = `http://127.0.0.1:${(t.app.server.address() as AddressInfo).port}`;
const { token } = await t.join('admin@example.com', 'admin');
const body = {
  name: 'Documentation',
  scopes: Scope.options.filter((scope) => /invit/.test(scope)),
  days: 1,
};
environment['TOKEN'] = (await t.call(createToken, { token, body })).body.token;

async function run(code: string): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)('sh', ['-c', code], {
    env: { PATH: process.env['PATH'], no_proxy: '*', ...environment },
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('each example of docs/automate-invitations.md has the documented result', async () => {
  expect(curls.map(([title]) => title)).toEqual([
    'Invite someone',
    'Check a list first',
    'Invite a list',
    'Invite a list',
    'Invite a list',
    'Find invitations',
    'Find invitations',
  ]);
  const [invite, check, batch, progress, undo, findOpen, findFailed] = curls.map(([, code]) => code) as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  expect(await run(invite)).toMatchObject({
    email: 'ann@example.com',
    name: 'Ann Example',
    status: 'pending',
  });
  await expect(run(invite)).rejects.toMatchObject({
    code: 22,
    stdout: expect.stringContaining('invitation.already_invited'),
  });
  expect(await run(check)).toMatchObject({
    rows: [{ verdict: 'invited' }, { verdict: 'new' }, { verdict: 'invalid' }],
  });
  const created = await run(batch);
  expect(created).toMatchObject({ createdBy: 'admin@example.com', counts: { created: 2 } });
  expect(await run(batch)).toEqual(created);
  await expect(run(batch.replace('carl@', 'dora@'))).rejects.toMatchObject({
    stdout: expect.stringContaining('invitation_batch.key_taken'),
  });
  environment['BATCH'] = created['id'] as string;
  expect(await run(progress)).toMatchObject({ open: 2 });
  expect(await run(undo)).toMatchObject({ open: 0, revoked: 2 });
  expect(await run(findOpen)).toMatchObject({ rows: [{ email: 'ann@example.com' }], total: 1 });
  expect(await run(findFailed)).toEqual({ rows: [], total: 0 });
  expect(await t.select("select from invitations where email = 'dora@example.com'")).toEqual([]);
});

test('docs/automate-invitations.md lists every scope and every error of tokens', async () => {
  for (const scope of Scope.options) expect(page).toContain(`\`${scope}\``);
  for (const code of [
    'token.invalid',
    'token.scope_missing',
    'token.administrator_scope_missing',
    'token.not_usable_here',
  ])
    expect(page).toContain(`\`${code}\``);
});
