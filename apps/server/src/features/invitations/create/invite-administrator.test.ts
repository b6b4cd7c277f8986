/** `npm run invite-administrator`, as operators run it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { decryptSiteKey, readServerSecret } from '../../../platform/config/site-key.ts';
import { grantApplicationRights } from '../../../platform/database/application-role.ts';
import { execute, openDatabase, rowsOf } from '../../../platform/database/database.ts';
import { migrate } from '../../../platform/database/migrate.ts';
import { newId } from '../../../platform/database/new-id.ts';
import { startEmbeddedPostgres } from '../../../platform/embedded-postgres/embedded-postgres.ts';
import { installMailQueue } from '../../../platform/mail/mail-queue.ts';
import { defaultPerson, insertPeople } from '../../people/people-store.ts';
import { createShortCodes } from '../link/short-code.ts';

const script = fileURLToPath(new URL('../../../commands/invite-administrator.ts', import.meta.url));
const migrations = fileURLToPath(new URL('../../../../migrations', import.meta.url));

const directory = await mkdtemp(path.join(tmpdir(), 'vestibule-invite-'));
await chmod(directory, 0o711);
const postgres = await startEmbeddedPostgres(
  { dataDirectory: path.join(directory, 'postgres') },
  { durable: false },
);
await migrate({ url: postgres.url, variable: 'DATABASE_URL' }, migrations);
await installMailQueue(postgres.url);
await grantApplicationRights(postgres.url, postgres.applicationUrl);
const database = openDatabase(postgres.url, { maxConnections: 2 });
const secrets = { current: readServerSecret(null, directory), previous: null };
const siteKey = (await decryptSiteKey(database, secrets)).key;
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function invite(...parameters: string[]) {
  const child = spawn(process.execPath, [script, ...parameters], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      DATA_DIR: directory,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ]);
  return { output: output + errors, code };
}

test('invites an administrator with or without a running database, or makes a member an administrator', async () => {
  expect(await invite('ann@example.com')).toMatchObject({
    code: 1,
    output: expect.stringContaining('no members yet'),
  });
  const at = new Date();
  await insertPeople(
    database,
    (
      [
        ['lost', 'admin'],
        ['member', 'member'],
        ['disabled', 'member'],
      ] as const
    ).map(([name, role]) => ({
      ...defaultPerson,
      id: newId(),
      issuer: 'test',
      subject: name,
      way: 'passkeys',
      email: `${name}@example.com`,
      emailCanonical: `${name}@example.com`,
      displayName: name,
      role,
      joinedAt: at,
      lastSignInAt: at,
      lastSeenAt: at,
    })),
  );
  await execute(database, "update people set status = 'disabled' where display_name = 'disabled'");
  expect((await invite('lost@example.com')).output).toContain('is an administrator already');
  expect((await invite('disabled@example.com')).output).toContain('is disabled');
  expect((await invite('no address')).output).toContain('npm run invite-administrator -- ADDRESS');
  expect(await invite('Member@example.com')).toEqual({
    code: 0,
    output: 'member@example.com is an administrator now, and signs in as before.\n',
  });
  const first = await invite('Ann@example.com');
  const rows = await rowsOf(
    database,
    'select action, actor_label, target_label, address, request_id from audit_log order by id',
  );
  expect(rows).toEqual(
    [
      ['person.role_changed', 'member@example.com'],
      ['invitation.created', 'Ann@example.com'],
    ].map(([action, target_label]) => ({
      action,
      actor_label: 'Vestibule',
      target_label,
      address: 'local',
      request_id: 'invite-administrator',
    })),
  );
  const [invitation] = await rowsOf<{ id: string }>(
    database,
    "select id from invitations where role = 'admin' and status = 'pending' and created_by is null",
  );
  const code = createShortCodes(siteKey).codeOf(invitation?.id as string);
  expect(first).toEqual({
    code: 0,
    output: `Invitation of an administrator, only for Ann@example.com: http://localhost:3000/signup?i=${code}\n`,
  });
  await database.end();
  await postgres.stop();
  const second = await invite('ann@example.com');
  expect(second.output).toMatch(/http:\/\/localhost:3000\/signup\?i=\w{22}\n$/);
  expect(second.output).not.toContain(code);
});
