import { changePerson } from '@vestibule/contract/people/details';
import { listActivity } from '@vestibule/contract/activity';
import { invite } from '@vestibule/contract/invitations';
import { getMe } from '@vestibule/contract/profile/me';
import { listRemovedPeople } from '@vestibule/contract/people/removed';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyArchiveFile } from '../../../platform/audit/archive-file.ts';
import { auditKey } from '../../../platform/audit/audit-seals.ts';
import { recordChange } from '../../../platform/audit/audit-log.ts';
import { testSecret } from '../../../test/test-app.ts';
import { waitForLocks } from '../../../test/database/test-faults.ts';
import { createTestSession } from '../../../test/sign-in/test-session.ts';
import { lockAdministrators } from '../person-changes.ts';
import { createErasureApp, type ErasureApp } from './test-erasure.ts';

const address = 'Annegret.Wunderlich@example.com';
const name = 'Annegret Wunderlich';
const network = '203.0.113.77';
/** Unique user agent. */
const agent = 'Firefox/151.7 (with wings)';
const key = auditKey(testSecret);
let t: ErasureApp;
beforeEach(async () => {
  t = await createErasureApp();
});
afterEach(() => t.close());

const erase = (email = address.toLowerCase()) => t.erase(email);
const allTraces = async () => [
  ...(await t.traces(address)),
  ...(await t.traces(name)),
  ...(await t.traces(name.replace(' ', '_'))),
  ...(await t.traces(network)),
  ...(await t.traces(agent)),
];

async function verifyLog() {
  let checked = 0;
  for (let after = 0; ;) {
    const step = await t.auditSeals.verify(after);
    checked += step.checked;
    if (step.done) return { checked, problem: step.problem };
    after = step.lastSeal;
  }
}
const verifyFiles = async () =>
  Promise.all((await readdir(t.archive)).map((file) => verifyArchiveFile(key, path.join(t.archive, file))));

/** Creates a person whose name, address and network are stored in as many places as possible. */
async function createPersonWithTraces(): Promise<string> {
  await t.callAs(t.admin, invite, {
    body: { email: address, name, role: 'admin', message: `Dear ${name}, welcome.` },
  });
  const invitationId = await t.scalar<string>`
    select id from invitations where name = ${name}`;
  const token = await t.mint({ sub: 'annegret', emails: [address], invitationId, name });
  const callAsPerson = (url: string, method: 'GET' | 'POST' | 'PATCH' | 'DELETE' = 'GET', payload?: object) =>
    t.app.inject({
      url,
      method,
      headers: { authorization: `Bearer ${token}`, 'user-agent': agent },
      remoteAddress: network,
      ...(payload && { payload }),
    });
  const me = await callAsPerson('/api/users/me');
  expect(me.statusCode).toBe(200);
  const { Id: id } = me.json<{ Id: string }>();
  await callAsPerson('/api/invitations', 'POST', {
    email: 'friend@example.com',
    name: 'Friend',
    role: 'member',
  });
  await callAsPerson('/api/invitations', 'POST', {
    email: 'other@example.com',
    name: '',
    role: 'member',
    message: `Yours, ${name}`,
  });
  const leaver = await t.join('leaver@example.com');
  expect((await callAsPerson(`/api/people/${leaver.id}`, 'DELETE')).statusCode).toBe(200);
  await callAsPerson('/api/settings', 'PATCH', {
    productName: `${name}’s portal`,
    versions: { productName: 0 },
  });
  await t.select`
    insert into attachments (id, owner_id, owner_name, owner_email, name, type, kind, size, sha256, status, created_at, verified_at)
    select gen_random_uuid(), id, display_name, email, 'CV_Annegret_Wunderlich ' || email || '.pdf', 'application/pdf', 'pdf', 1, '', 'ready', now(), now()
    from people where id = ${id}`;
  await t.select`
    insert into grid_views (id, grid, name, shared, owner_id, owner_label, state, updated_at)
    select gen_random_uuid(), 'people', ${name} || ' only', true, id, email, json_build_object('filter', email)::text, now()
    from people where id = ${id}`;
  await t.select`
    insert into invitation_events (invitation_id, kind, day, at, last_at, note)
    values (${invitationId}, 'mail_failed', now(), now(), now(), ${`550 <${address}> is unknown`})`;
  await t.select`
    update jobs.job
    set output = jsonb_build_object('message', ${`550 5.1.1 <${address.toLowerCase()}>: Recipient "${name}" unknown`}::text)`;
  await t.select`
    insert into rate_limits (key, used, ends_at) values (${`failed exchange:${network}`}, 1, now())`;
  await t.select`
    insert into sign_in_transactions (state_hash, way, binder_hash, return_to, created_at, outcome, address)
    values ('hers', 'passkeys', '', '/', now(), '{"kind": "proof"}', ${address.toLowerCase()})`;
  await t.select`
    insert into passkeys (credential_id, id, person_id, public_key, counter, rp_id, transports, aaguid, name, is_backup_eligible,
      is_backed_up, created_at)
    values ('hers', gen_random_uuid(), ${id}, '', 0, 'portal.example.com', '{}', gen_random_uuid(), ${`${name}’s phone`}, true, true, now())`;
  await createTestSession(t, { id });
  await t.select`update sessions set address = ${network}, user_agent = ${agent} where person_id = ${id}`;
  return id;
}

describe('erasing a person', () => {
  test('leaves no trace in any table or file, and the log verifies (P2; security 67)', async () => {
    const id = await createPersonWithTraces();
    await t.auditSeals.seal();
    // Without traces before, finding none afterwards would prove nothing.
    expect((await allTraces()).length).toBeGreaterThan(15);
    expect(await t.traces(agent)).toEqual(['public.sessions.user_agent', 'public.sign_ins.user_agent']);
    await t.remove(id);
    await t.auditSeals.seal();
    const response = await erase();
    expect(response.status).toBe(200);
    expect(response.body.pseudonym).toMatch(/^Erased person [0-9a-f]{8}$/);
    expect(await allTraces()).toEqual([]);
    await t.auditSeals.seal();
    const entries = await t.scalar<number>`select count(*) as entries from audit_log`;
    expect(await verifyLog()).toEqual({ checked: entries, problem: null });
  });

  test('leaves no trace in the archive, and every file verifies (P2; security 67)', async () => {
    const id = await createPersonWithTraces();
    await t.select`
      insert into sign_ins (person_id, session, at, address, user_agent)
      values (${id}, 'old', now() - interval '90 days', ${network}, ${agent})`;
    // Rate limits contain the network for up to an hour. Archiving removes it from the log.
    await t.select(`update rate_limits set ends_at = '2020-01-01'`);
    await t.auditSeals.seal();
    await t.archiveExpired();
    expect((await readdir(t.archive)).toSorted()).toEqual([
      'activity-000001.jsonl',
      'invitations-000001.jsonl',
      'sign-ins-000001.jsonl',
    ]);
    const before = await verifyFiles();
    for (const text of [network, agent]) expect(await t.traces(text)).toContain('sign-ins-000001.jsonl');
    await t.remove(id);
    const response = await erase();
    expect(response.body.missingFiles).toEqual([]);
    expect(await allTraces()).toEqual([]);
    expect(await verifyFiles()).toEqual(before);
    expect(before.map(({ problem }) => problem)).toEqual([null, null, null]);

    // A line altered afterwards is detected.
    const file = path.join(t.archive, 'activity-000001.jsonl');
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace(response.body.pseudonym, 'Erased person 00000000'),
    );
    expect((await verifyArchiveFile(key, file)).problem).toContain('was altered');
  });

  test('reports missing archive files', async () => {
    const id = await createPersonWithTraces();
    await t.auditSeals.seal();
    await t.archiveExpired();
    const elsewhere = await mkdtemp(path.join(tmpdir(), 'vestibule-elsewhere-'));
    await writeFile(path.join(elsewhere, 'x'), await readFile(path.join(t.archive, 'activity-000001.jsonl')));
    await rm(path.join(t.archive, 'activity-000001.jsonl'));
    await t.remove(id);
    expect((await erase()).body.missingFiles).toEqual(['activity-000001.jsonl']);
    // After the file is restored, the address is erased once more.
    await writeFile(path.join(t.archive, 'activity-000001.jsonl'), await readFile(path.join(elsewhere, 'x')));
    expect((await erase()).status).toBe(200);
    expect(await t.traces(address)).toEqual([]);
    await rm(elsewhere, { recursive: true });
  });

  test('records an audit entry without the name and deletes the removed person', async () => {
    const id = await createPersonWithTraces();
    await t.remove(id);
    const listed = async () =>
      (await t.callAs(t.admin, listRemovedPeople, { query: { sort: 'email' } })).body.rows;
    const otherRemoved = { email: 'leaver@example.com', removedBy: address };
    expect(await listed()).toMatchObject([{ id, email: address, displayName: name }, otherRemoved]);
    const { body } = await erase();
    expect(await listed()).toMatchObject([{ ...otherRemoved, removedBy: body.pseudonym }]);
    const { body: log } = await t.callAs(t.admin, listActivity, { query: { limit: 500 } });
    const entries = log.rows.filter(({ action }) => action === 'person.erased');
    expect(entries).toMatchObject([{ actor: t.admin.email, target: body.pseudonym, targetId: id }]);
    expect(log.rows.some(({ actor }) => actor === body.pseudonym)).toBe(true);
  });

  test('revokes the invitation of an invitee, who can be invited again', async () => {
    await t.callAs(t.admin, invite, { body: { email: address, name, role: 'member' } });
    expect((await erase()).status).toBe(200);
    expect(await allTraces()).toEqual([]);
    expect(
      await t.select`select status, email, name from invitations where email like 'Erased%'`,
    ).toMatchObject([{ status: 'revoked', name: '' }]);
    const secondInvitation = await t.callAs(t.admin, invite, {
      body: { email: address, name, role: 'member' },
    });
    expect(secondInvitation.status).toBe(200);
  });

  test('does not affect people with a similar address or name', async () => {
    const similar = [
      'x.annegret.wunderlich@example.com',
      'annegret.wunderlich@example.com.au',
      'gret.wunderlich@example.com',
    ];
    for (const email of similar) await t.invitationTo(email);
    const namesake = await t.join('another@example.com');
    await t.select`update people set display_name = ${name} where id = ${namesake.id}`;
    const id = await createPersonWithTraces();
    await t.remove(id);
    await erase();
    expect(await t.traces(address)).toEqual(expect.arrayContaining(['public.invitations.email']));
    expect(
      (await t.select<{ email: string }>`select email from invitations where email = any(${similar})`).length,
    ).toBe(3);
    expect(await t.select`select display_name from people where id = ${namesake.id}`).toEqual([
      { display_name: name },
    ]);
  });
});

describe('an erasure is rejected', () => {
  test('for a person with an account and for an unknown address', async () => {
    const id = await createPersonWithTraces();
    expect((await erase()).body.code).toBe('person.still_inside');
    expect(await t.select`select email from people where id = ${id}`).toEqual([{ email: address }]);
    expect((await erase('unknown@example.com')).body.code).toBe('person.nothing_to_erase');
  });

  test('for an address that the site uses', async () => {
    await t.select`
      insert into settings (name, value, version, changed_at, changed_by)
      values ('supportEmail', ${JSON.stringify(address)}, 1, now(), 'x')`;
    t.settings.invalidate();
    await t.invitationTo(address);
    expect((await erase()).body.code).toBe('person.address_in_use');
  });
});

test('an erasure includes former names and addresses, but not of a person who has such an address now', async () => {
  const ann = await t.join(address);
  const change = (personId: string, body: { displayName?: string; email?: string }) =>
    t.callAs(t.admin, changePerson, { params: { personId }, body });
  await change(ann.id, { displayName: 'Ann Oldname' });
  await change(ann.id, { displayName: 'Ann Newname', email: 'ann.new@example.com' });
  const second = await t.join('second@example.com');
  await change(second.id, { email: 'given.up@example.com' });
  await change(second.id, { email: 'second@example.com' });
  const successor = await t.join('given.up@example.com');
  await t.remove(successor.id);
  expect((await erase('given.up@example.com')).status).toBe(200);
  expect((await t.select`select from people where id = ${second.id}`).length).toBe(1);
  await t.remove(ann.id);
  expect((await erase('ann.new@example.com')).status).toBe(200);
  for (const text of ['Oldname', 'Newname', 'ann.new@example.com', address])
    expect([text, await t.traces(text)]).toEqual([text, []]);
});

test('an erasure includes addresses reported by identity providers, sessions and identities (P2; security 67)', async () => {
  const ann = await t.join(address);
  await t.select`
    update identities set email = 'w@elsewhere.example', email_verified = true where person_id = ${ann.id}`;
  await recordChange(t.database, {
    action: 'person.provider_address_changed',
    actor: null,
    target: { type: 'person', id: ann.id, label: ann.email },
    origin: { requestId: '1', address: '' },
    detail: { before: 'earlier@elsewhere.example', after: 'later@elsewhere.example' },
  });
  await recordChange(t.database, {
    action: 'identity.added',
    actor: { id: ann.id, email: ann.email },
    target: { type: 'person', id: ann.id, label: ann.email },
    origin: { requestId: '2', address: '' },
    detail: { way: 'acme', account: 'added@elsewhere.example' },
  });
  await createTestSession(t, ann);
  expect(await t.traces('later@elsewhere.example')).toEqual(['public.audit_log.detail']);
  expect((await t.remove(ann.id)).status).toBe(200);
  expect((await erase()).status).toBe(200);
  for (const text of [
    'earlier@elsewhere.example',
    'later@elsewhere.example',
    'added@elsewhere.example',
    'w@elsewhere.example',
    ann.subject,
  ])
    expect([text, await t.traces(text)]).toEqual([text, []]);
  expect(await t.select('select from sessions')).toEqual([]);
});

test('a person who joins by a new invitation during an erasure is not erased and remains signed in', async () => {
  const subject = `subject of ${address}`;
  await t.invitationTo(address);
  const { erasing, id } = await t.database.transaction(
    async (transaction) => {
      // The erasure waits for this lock before it replaces the address.
      await lockAdministrators(transaction);
      const erased = erase();
      // Queried in this transaction, so that the transaction is not idle.
      await waitForLocks({ select: async (text) => (await transaction.query({ text })).rows }, 1);
      const { body } = await t.callAs(t.admin, invite, { body: { email: address, name } });
      const token = await t.mint({ sub: subject, emails: [address], invitationId: body.id });
      const me = await t.call(getMe, { token });
      await t.select`update identities set email = ${address} where person_id = ${me.body.Id}`;
      await createTestSession(t, { id: me.body.Id });
      return { erasing: erased, id: me.body.Id };
    },
    { withinMs: 50_000 },
  );
  expect((await erasing).status).toBe(200);
  expect(
    await t.select`
      select people.email, identities.email as identity, identities.subject, sessions.subject as session
      from people join identities on identities.person_id = people.id join sessions on sessions.person_id = people.id
      where people.id = ${id}`,
  ).toEqual([{ email: address, identity: address, subject, session: subject }]);
});
