import { changeInvitationAddress, invite } from '@vestibule/contract/invitations';
import { handOverFiles, listRemovedPeople } from '@vestibule/contract/people/removed';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { recordChange } from '../../../platform/audit/audit-log.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import type { TestPerson } from '../../../test/test-app.ts';
import { createTestSession } from '../../../test/sign-in/test-session.ts';
import { createErasureApp, type ErasureApp } from './test-erasure.ts';

const address = 'ann@example.com';
let t: ErasureApp;
beforeEach(async () => {
  t = await createErasureApp();
});
afterEach(() => t.close());

const erase = () => t.erase(address);

async function inviteBy(mistyped: string, email: string): Promise<string> {
  await t.callAs(t.admin, invite, { body: { email: mistyped, name: 'Bob', role: 'member' } });
  const invitationId = await t.scalar<string>`
    select id from invitations where email = ${mistyped}`;
  const changed = await t.callAs(t.admin, changeInvitationAddress, {
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
  t.select`
    insert into sign_ins (person_id, session, at, address, user_agent)
    values (${id}, gen_random_uuid()::text, clock_timestamp(), ${network}, 'Firefox')`;

const nameInDirectory = (email: string, name: string | null = null) =>
  t.select`
    insert into directory_users (id, user_name, email, email_canonical, display_name, formatted_name, active, created_at, modified_at)
    values (gen_random_uuid(), ${email}, ${email}, ${canonicalEmail(email)}, ${name}, ${name}, false, now(), now())`;

describe('an erasure', () => {
  test('does not affect a person whose invitation was mistyped to the erased address and corrected', async () => {
    const invitationId = await inviteBy(address, 'bob@example.com');
    expect((await erase()).status).toBe(200);
    expect(await t.traces(address)).toEqual([]);
    expect(await t.select`select email, name, status from invitations where id = ${invitationId}`).toEqual([
      { email: 'bob@example.com', name: 'Bob', status: 'pending' },
    ]);
    expect((await t.signIn('bob@example.com', { invitationId })).status).toBe(200);
  });

  const carol = 'carol@bücher.example';
  test.each([
    ['has an account', () => t.join(carol)],
    ['was removed', async () => t.remove((await t.join(carol)).id)],
    ['has an invitation', () => t.invitationTo(carol)],
    [
      'was invited according to the log only',
      async () => {
        await t.callAs(t.admin, invite, { body: { email: carol, name: '', role: 'member' } });
        await t.select`delete from invitations where email = ${carol}`;
      },
    ],
    ['is a directory user', () => nameInDirectory(carol)],
  ])(
    'does not affect a person who %s under the mistyped address of the erased invitation',
    async (_who, join) => {
      await inviteBy(carol, address);
      await join();
      const before = await t.traces(carol);
      expect((await erase()).status).toBe(200);
      expect(await t.traces(address)).toEqual([]);
      expect(await t.traces(carol)).toEqual(before);
    },
  );

  test('does not affect a person with the same name in the directory only', async () => {
    const ann = await t.join(address);
    await t.select`update people set display_name = 'Ann Other' where id = ${ann.id}`;
    await nameInDirectory('namesake@example.com', 'Ann Other');
    await t.remove(ann.id);
    expect((await erase()).status).toBe(200);
    expect(await t.traces('Ann Other')).toEqual([
      'public.directory_users.display_name',
      'public.directory_users.formatted_name',
    ]);
  });

  test('does not affect a removed person whose files were handed over to the erased one', async () => {
    const [ann, bob] = [await t.join(address), await t.join('bob@example.com')];
    await t.select`
      insert into attachments (id, owner_id, owner_name, owner_email, name, type, kind, size, sha256, status, created_at, verified_at)
      values (gen_random_uuid(), ${bob.id}, 'Bob', ${bob.email}, 'bob.txt', 'text/plain', 'text', 1, '', 'ready', now(), now())`;
    await t.remove(bob.id, { files: 'delete' });
    const handOver = await t.callAs(t.admin, handOverFiles, {
      params: { personId: bob.id },
      body: { to: ann.email },
    });
    expect(handOver.body.files).toBe(1);
    // Format from before the entry named the owner.
    await recordChange(t.database, {
      action: 'person.files_handed_over',
      actor: null,
      target: { type: 'person', id: bob.id, label: ann.email },
      origin: { requestId: '1', address: '' },
      detail: { files: 1 },
    });
    await t.remove(ann.id);
    const { pseudonym } = (await erase()).body;
    expect(await t.traces(address)).toEqual([]);
    const { rows } = (await t.callAs(t.admin, listRemovedPeople, { query: {} })).body;
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
    expect(await t.select`select target_id from audit_log where action = 'person.erased'`).toEqual([
      { target_id: ann.id },
    ]);
  });

  test('does not affect the stored network addresses of another person from the same network, even if the log does not contain them', async () => {
    const [ann, bob] = [await t.join(address), await t.join('bob@example.com')];
    const [signIn, session, token, directory, hers] = [1, 2, 3, 4, 5].map((last) => `203.0.113.${last}`);
    for (const network of [signIn, session, token, directory, hers]) await actFrom(network as string, ann);
    await signInFrom(signIn as string, bob);
    await createTestSession(t, bob);
    await t.select`update sessions set address = ${session}`;
    await t.select`
      insert into personal_tokens (id, person_id, name, token_hash, scopes, created_at, expires_at, last_address)
      values (gen_random_uuid(), ${bob.id}, 'CI', '', '{}', now(), now() + interval '1 day', ${token})`;
    await t.select`update directory set last_address = ${directory}`;
    await t.remove(ann.id);
    expect((await erase()).status).toBe(200);
    expect(await t.traces(signIn as string)).toEqual(['public.sign_ins.address']);
    expect(await t.traces(session as string)).toEqual(['public.sessions.address']);
    expect(await t.traces(token as string)).toEqual(['public.personal_tokens.last_address']);
    expect(await t.traces(directory as string)).toEqual(['public.directory.last_address']);
    expect(await t.traces(hers as string)).toEqual([]);
  });

  test('does not affect archived entries of another person from the same network', async () => {
    const [ann, bob] = [await t.join(address), await t.join('bob@example.com')];
    const network = '203.0.113.77';
    await signInFrom(network, bob);
    await signInFrom('203.0.113.78', bob);
    await actFrom(network, bob);
    await t.auditSeals.seal();
    await t.archiveExpired({ keepInvitationsDays: 0 });
    await actFrom(network, ann);
    const archived = ['activity-000001.jsonl', 'sign-ins-000001.jsonl'];
    expect(await t.traces(network)).toEqual(
      expect.arrayContaining([...archived, 'public.audit_log.address']),
    );
    await t.remove(ann.id);
    expect((await erase()).status).toBe(200);
    expect(await t.traces(network)).toEqual(archived);
  });
});
