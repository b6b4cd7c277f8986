/** `npm run invite-administrator`, as operators run it. */
import { expect, test } from 'vitest';
import { execute, rowsOf } from '../../../platform/database/database.ts';
import { newId } from '../../../platform/database/new-id.ts';
import { createCommandSite } from '../../../test/test-command-site.ts';
import { defaultPerson, insertPeople } from '../../people/people-store.ts';
import { createShortCodes } from '../link/short-code.ts';

const { database, postgres, run, siteKey } = await createCommandSite('invite-administrator.ts');
const invite = (address: string) => run([address]);

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
