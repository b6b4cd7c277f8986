/** Whoever is erased takes nobody else along. */
import { changeInvitationAddress, invite } from '@vestibule/contract/invitations';
import { removePerson } from '@vestibule/contract/people';
import {
  erasePerson,
  handOverFiles,
  listRemovedPeople,
  type FilesOfRemoved,
} from '@vestibule/contract/people/removed';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { recordChange } from '../../../platform/audit/audit-log.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { createTestApp, testSecret, type TestApp, type TestPerson } from '../../../test/test-app.ts';
import { beginTestSession } from '../../../test/test-session.ts';
import { takeAwayOld } from '../../keeping/take-away-old.ts';
import { tracesOf } from './test-traces.ts';

const address = 'ann@example.com';
let t: TestApp;
let admin: TestPerson;
let archive: string;
beforeEach(async () => {
  archive = await mkdtemp(path.join(tmpdir(), 'vestibule-erasure-of-others-'));
  t = await createTestApp({ environment: { ARCHIVE_DIR: archive } });
  admin = await t.join('admin@example.com', 'admin');
});
afterEach(async () => {
  await t.close();
  await rm(archive, { recursive: true, force: true });
});

const erase = () => t.call(erasePerson, { token: admin.token, body: { email: address } });
const traces = (text: string) => tracesOf(t, [archive], text);
const remove = ({ id: personId }: TestPerson, files: FilesOfRemoved = {}) =>
  t.call(removePerson, { token: admin.token, params: { personId }, query: files });

/** Somebody invited by a mistyped address, which was corrected. Gives the invitation. */
async function inviteBy(mistyped: string, email: string): Promise<string> {
  await t.call(invite, { token: admin.token, body: { email: mistyped, name: 'Bob', role: 'member' } });
  const [{ id: invitationId }] = (await t.select<{ id: string }>(
    'select id from invitations where email = $1',
    [mistyped],
  )) as [{ id: string }];
  const changed = await t.call(changeInvitationAddress, {
    token: admin.token,
    params: { invitationId },
    body: { email },
  });
  expect(changed.status).toBe(200);
  return invitationId;
}

const actFrom = (network: string, { id, email }: TestPerson) =>
  recordChange(t.database, {
    action: 'test.done',
    actor: { id, email },
    target: { type: 'test', id: '1', label: '1' },
    origin: { requestId: '1', address: network },
  });
const signInFrom = (network: string, { id }: TestPerson) =>
  t.select(
    `insert into sign_ins (person_id, session, at, address, user_agent) values ($1, gen_random_uuid()::text, clock_timestamp(), $2, 'Firefox')`,
    [id, network],
  );

const nameInDirectory = (email: string, name: string | null = null) =>
  t.select(
    `insert into directory_users (id, user_name, email, email_canonical, display_name, formatted_name, active, created_at, modified_at)
     values (gen_random_uuid(), $1, $1, $2, $3, $3, false, now(), now())`,
    [email, canonicalEmail(email), name],
  );

describe('nobody is erased with somebody else', () => {
  test('who holds an invitation that was mistyped to their address: it is whose address it has now', async () => {
    const invitationId = await inviteBy(address, 'bob@example.com');
    expect((await erase()).status).toBe(200);
    expect(await traces(address)).toEqual([]);
    expect(
      await t.select('select email, name, status from invitations where id = $1', [invitationId]),
    ).toEqual([{ email: 'bob@example.com', name: 'Bob', status: 'pending' }]);
    const token = await t.mint({ sub: 'bob', emails: ['bob@example.com'], invitationId });
    const me = await t.app.inject({ url: '/api/users/me', headers: { authorization: `Bearer ${token}` } });
    expect(me.statusCode).toBe(200);
  });

  const carol = 'carol@bücher.example';
  test.each([
    ['is inside', () => t.join(carol)],
    ['was removed', async () => remove(await t.join(carol))],
    ['has an invitation', () => t.invitationTo(carol)],
    [
      'was invited, as the log alone still knows',
      async () => {
        await t.call(invite, { token: admin.token, body: { email: carol, name: '', role: 'member' } });
        await t.select('delete from invitations where email = $1', [carol]);
      },
    ],
    ['is named by the directory', () => nameInDirectory(carol)],
  ])('who %s by the address that the invitation of whoever is erased first went to', async (_who, arrive) => {
    await inviteBy(carol, address);
    await arrive();
    const before = await traces(carol);
    expect((await erase()).status).toBe(200);
    expect(await traces(address)).toEqual([]);
    expect(await traces(carol)).toEqual(before);
  });

  test('who has the same name, as the directory alone tells', async () => {
    const ann = await t.join(address);
    await t.select(`update people set display_name = 'Ann Other' where id = $1`, [ann.id]);
    await nameInDirectory('namesake@example.com', 'Ann Other');
    await remove(ann);
    expect((await erase()).status).toBe(200);
    expect(await traces('Ann Other')).toEqual([
      'public.directory_users.display_name',
      'public.directory_users.formatted_name',
    ]);
  });

  test('whose files they took over', async () => {
    const [ann, bob] = [await t.join(address), await t.join('bob@example.com')];
    await t.select(
      `insert into attachments (id, owner_id, owner_name, owner_email, name, type, kind, size, sha256, status, created_at, verified_at)
       values (gen_random_uuid(), $1, 'Bob', $2, 'bob.txt', 'text/plain', 'text', 1, '', 'ready', now(), now())`,
      [bob.id, bob.email],
    );
    await remove(bob, { files: 'delete' });
    const handed = await t.call(handOverFiles, {
      token: admin.token,
      params: { personId: bob.id },
      body: { to: ann.email },
    });
    expect(handed.body.files).toBe(1);
    // As it was written before the entry named the owner.
    await recordChange(t.database, {
      action: 'person.files_handed_over',
      actor: null,
      target: { type: 'person', id: bob.id, label: ann.email },
      origin: { requestId: '1', address: '' },
      detail: { files: 1 },
    });
    await remove(ann);
    const { pseudonym } = (await erase()).body;
    expect(await traces(address)).toEqual([]);
    const { rows } = (await t.call(listRemovedPeople, { token: admin.token, query: {} })).body;
    expect(rows).toMatchObject([{ id: bob.id, email: bob.email }]);
    expect(
      await t.select(
        `select target_label, detail from audit_log where action = 'person.files_handed_over' order by id`,
      ),
    ).toEqual([
      {
        target_label: bob.email,
        detail: { files: 1, before: { owner: bob.email }, after: { owner: pseudonym } },
      },
      { target_label: pseudonym, detail: { files: 1 } },
    ]);
    expect(await t.select('select target_id from audit_log where action = $1', ['person.erased'])).toEqual([
      { target_id: ann.id },
    ]);
  });

  test('who came from the same network, which no entry of the log may tell', async () => {
    const [ann, bob] = [await t.join(address), await t.join('bob@example.com')];
    const [signIn, session, token, directory, hers] = [1, 2, 3, 4, 5].map((last) => `203.0.113.${last}`);
    for (const network of [signIn, session, token, directory, hers]) await actFrom(network as string, ann);
    await signInFrom(signIn as string, bob);
    await beginTestSession(t, bob);
    await t.select('update sessions set address = $1', [session]);
    await t.select(
      `insert into personal_tokens (id, person_id, name, token_hash, scopes, created_at, expires_at, last_address)
       values (gen_random_uuid(), $1, 'CI', '', '{}', now(), now() + interval '1 day', $2)`,
      [bob.id, token],
    );
    await t.select('update directory set last_address = $1', [directory]);
    await remove(ann);
    expect((await erase()).status).toBe(200);
    expect(await traces(signIn as string)).toEqual(['public.sign_ins.address']);
    expect(await traces(session as string)).toEqual(['public.sessions.address']);
    expect(await traces(token as string)).toEqual(['public.personal_tokens.last_address']);
    expect(await traces(directory as string)).toEqual(['public.directory.last_address']);
    expect(await traces(hers as string)).toEqual([]);
  });

  test('who came from the same network, which the archive alone may tell', async () => {
    const [ann, bob] = [await t.join(address), await t.join('bob@example.com')];
    const network = '203.0.113.77';
    await signInFrom(network, bob);
    await signInFrom('203.0.113.78', bob);
    await actFrom(network, bob);
    await t.auditSeals.seal();
    await takeAwayOld({
      database: t.database,
      secret: testSecret,
      directory: archive,
      now: () => Date.now() + 400 * 24 * 3600_000,
      keeping: () => Promise.resolve({ keepActivityDays: 30, keepSignInsDays: 30, keepInvitationsDays: 0 }),
    });
    await actFrom(network, ann);
    const archived = ['activity-000001.jsonl', 'sign-ins-000001.jsonl'];
    expect(await traces(network)).toEqual(expect.arrayContaining([...archived, 'public.audit_log.address']));
    await remove(ann);
    expect((await erase()).status).toBe(200);
    expect(await traces(network)).toEqual(archived);
  });
});
