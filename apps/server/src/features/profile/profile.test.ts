import { invite } from '@vestibule/contract/invitations';
import { changePreferences, getMe } from '@vestibule/contract/profile/me';
import { listPeople, signOutPerson } from '@vestibule/contract/people';
import {
  dataDownloadsPerHour,
  downloadMyData,
  getProfile,
  signOutEverywhere,
} from '@vestibule/contract/profile';
import { createToken } from '@vestibule/contract/profile/tokens';
import { createView } from '@vestibule/contract/views';
import { describe, expect, test } from 'vitest';
import { closeAfterTests } from '../../test/test-close.ts';
import { createTestApp, type TestPerson } from '../../test/test-app.ts';
import { withRefusedWrites } from '../../test/database/test-faults.ts';
import { findLanguage } from '../people/people-store.ts';
import { signOutLogLimit } from './profile.ts';

const t = closeAfterTests(await createTestApp());
const admin = await t.join('admin@example.com', 'admin');

let people = 0;
const createPerson = (role: 'member' | 'admin' = 'member') =>
  t.join(`person-${(people += 1)}@example.com`, role);

/** Provider time in seconds, `ago` seconds before now. */
const seconds = (ago = 0) => Math.floor(t.clock.now() / 1000) - ago;
/** Returns a token of a sign-in at `authTime`. By default, the token is issued now, like a renewed one. */
const tokenOf = (person: TestPerson, authTime: number | undefined, iat = seconds()) =>
  t.mint({ sub: person.subject, emails: [person.email], auth_time: authTime, iat });
const asAdmin = async (personId: string) => ({
  token: await tokenOf(admin, seconds()),
  params: { personId },
});
const codeOf = async (token: string) => (await t.call(getMe, { token })).body.code ?? 'ok';

describe('preferences', () => {
  test('are stored per person and returned by getMe (G1, K6)', async () => {
    const ann = await createPerson();
    expect((await t.callAs(ann, getMe)).body).toMatchObject({ Theme: null, Language: null });
    const change = (body: { theme?: string | null; language?: 'en' | 'de' | null }) =>
      t.callAs(ann, changePreferences, { body });
    expect((await change({ theme: 'dusk' })).body).toEqual({ theme: 'dusk', language: null });
    expect((await change({ language: 'de' })).body).toEqual({ theme: 'dusk', language: 'de' });
    expect((await t.call(getMe, { token: await tokenOf(ann, seconds()) })).body).toMatchObject({
      Theme: 'dusk',
      Language: 'de',
    });
    expect((await change({ theme: null })).body).toEqual({ theme: null, language: 'de' });
    expect((await change({})).body).toEqual({ theme: null, language: 'de' });
  });

  test.each([
    ['a role', '{"role":"admin"}', ['role']],
    ['a status', '{"theme":"dusk","status":"active"}', ['status']],
    ['a prototype', '{"__proto__":{"role":"admin"}}', []],
    ['no language', '{"language":"German"}', ['language']],
    ['markup', '{"theme":"<b>"}', ['theme']],
    ['a theme that is too long', `{"theme":"${'a'.repeat(41)}"}`, ['theme']],
    ['a list', '[]', []],
  ])('return 400 and name the invalid field: %s (security 11)', async (_what, payload, fields) => {
    const ann = await createPerson();
    const response = await t.app.inject({
      method: 'PATCH',
      url: changePreferences.path,
      headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'application/json' },
      payload,
    });
    expect(response.statusCode).toBe(400);
    expect(Object.keys(response.json<{ fields?: object }>().fields ?? {})).toEqual(fields);
    expect((await t.callAs(ann, getMe)).body).toMatchObject({ IsAdmin: false, Theme: null });
  });

  test('determine the mail language; the default is the language of the invitation', async () => {
    const ann = await createPerson();
    expect(await findLanguage(t.database, ann.id)).toBe('en');
    await t.callAs(ann, changePreferences, { body: { language: 'de' } });
    expect(await findLanguage(t.database, ann.id)).toBe('de');
    // Only screens have a language that a site added.
    await t.callAs(ann, changePreferences, { body: { language: 'fr' } });
    expect((await t.callAs(ann, getMe)).body.Language).toBe('fr');
    expect(await findLanguage(t.database, ann.id)).toBe('en');
    await t.callAs(ann, changePreferences, { body: { language: null } });
    expect(await findLanguage(t.database, ann.id)).toBe('en');
  });
});

test('the profile contains the inviter while they have an account (K6)', async () => {
  const ann = await createPerson();
  const inviter = await t.join('inviter@example.com', 'admin');
  await t.database.query({
    text: 'update people set invited_by = $2 where id = $1',
    values: [ann.id, 'Inviter@Example.com'],
  });
  const read = async () => (await t.callAs(ann, getProfile)).body;
  expect(await read()).toMatchObject({
    invitedBy: 'Inviter@Example.com',
    inviter: { id: inviter.id, displayName: 'Someone' },
  });
  await t.database.query({ text: 'delete from people where id = $1', values: [inviter.id] });
  expect(await read()).toMatchObject({ invitedBy: 'Inviter@Example.com', inviter: null });
});

test('the profile contains the sign-ins with the current and ended ones marked (K6)', async () => {
  const ann = await createPerson();
  t.clock.advance(3_600_000);
  const earlier = await tokenOf(ann, seconds(600));
  await t.call(getMe, { token: earlier });
  await t.call(signOutEverywhere, { token: earlier, body: { revokeTokens: false } });
  t.clock.advance(60_000);
  const token = await tokenOf(ann, seconds(5));
  const { body } = await t.call(getProfile, { token });
  expect(body).toMatchObject({ invitedBy: null, inviter: null, workingTokens: 0 });
  expect(body.signIns.map(({ current, ended }) => ({ current, ended }))).toEqual([
    { current: true, ended: false },
    { current: false, ended: true },
    { current: false, ended: true },
  ]);
});

describe('signing out everywhere', () => {
  test('invalidates older tokens immediately on every server process and is logged (K6, F6)', async () => {
    const ann = await createPerson();
    const [phone, desk] = [await tokenOf(ann, seconds(7200)), await tokenOf(ann, seconds(300))];
    expect([await codeOf(phone), await codeOf(desk)]).toEqual(['ok', 'ok']);
    const secondApp = await createTestApp({ sharedWith: t });
    expect((await secondApp.call(getMe, { token: phone })).status).toBe(200);
    expect((await t.call(signOutEverywhere, { token: desk, body: { revokeTokens: false } })).status).toBe(
      200,
    );
    expect([await codeOf(phone), await codeOf(desk), await codeOf(ann.token)]).toEqual(
      Array.from({ length: 3 }, () => 'person.signed_out'),
    );
    expect((await secondApp.call(getMe, { token: phone })).body.code).toBe('person.signed_out');
    await secondApp.close();
    expect(await t.auditOf(ann.id, 'person.signed_out')).toMatchObject([{ actor_id: ann.id }]);
  });

  test('rejects tokens renewed from older sign-ins and accepts new sign-ins (K6)', async () => {
    const ann = await createPerson();
    const began = seconds(300);
    await t.call(signOutEverywhere, { token: await tokenOf(ann, began), body: { revokeTokens: false } });
    t.clock.advance(3_600_000);
    expect(await codeOf(await tokenOf(ann, began))).toBe('person.signed_out');
    expect(await codeOf(await tokenOf(ann, seconds()))).toBe('ok');
  });

  test.each([
    ['ahead', -50],
    ['behind', 50],
  ])('works if the clock of the provider is 50 s %s', async (_, behind) => {
    const ann = await createPerson();
    const before = await tokenOf(ann, seconds(behind + 5), seconds(behind));
    expect(await codeOf(before)).toBe('ok');
    await t.call(signOutEverywhere, { token: before, body: { revokeTokens: false } });
    expect(await codeOf(before)).toBe('person.signed_out');
    t.clock.advance(2_000);
    expect(await codeOf(await tokenOf(ann, seconds(behind), seconds(behind)))).toBe('ok');
  });

  test('rejects earlier tokens that have no sign-in time', async () => {
    const ann = await createPerson();
    const before = await tokenOf(ann, undefined, seconds(1));
    await t.call(signOutEverywhere, { token: before, body: { revokeTokens: false } });
    expect(await codeOf(before)).toBe('person.signed_out');
    t.clock.advance(1_000);
    expect(await codeOf(await tokenOf(ann, undefined))).toBe('ok');
  });

  test('rejects a sign-in time that is a text', async () => {
    const ann = await createPerson();
    await t.callAs(ann, signOutEverywhere, { body: { revokeTokens: false } });
    const texts = await t.mint({ sub: ann.subject, emails: [ann.email], auth_time: '9999999999', iat: 1 });
    expect(await codeOf(texts)).toBe('person.signed_out');
  });

  test('revokes personal access tokens only on request (K6)', async () => {
    const boss = await createPerson('admin');
    const made = await t.callAs(boss, createToken, {
      body: { name: 'Nightly import', scopes: ['people:read'], days: 30 },
    });
    expect((await t.callAs(boss, getProfile)).body.workingTokens).toBe(1);
    await t.callAs(boss, signOutEverywhere, { body: { revokeTokens: false } });
    expect((await t.callAs(made.body, listPeople)).status).toBe(200);
    t.clock.advance(1_000);
    const body = { revokeTokens: true };
    await t.call(signOutEverywhere, { token: await tokenOf(boss, seconds()), body });
    expect((await t.callAs(made.body, listPeople)).body.code).toBe('token.invalid');
    expect(await t.auditOf(made.body.details.id, 'token.revoked')).toHaveLength(1);
  });

  test('is never rejected, and its audit entries are limited', async () => {
    const ann = await createPerson();
    const logged = async () => (await t.auditOf(ann.id, 'person.signed_out')).length;
    const signOut = (token: string) => t.call(signOutEverywhere, { token, body: { revokeTokens: false } });
    await t.select`
      insert into rate_limits (key, used, ends_at)
      values ('signing out everywhere:' || ${ann.id}, ${signOutLogLimit.maximum - 2}, ${new Date(t.clock.now() + 3_600_000)})`;
    expect((await signOut(ann.token)).status).toBe(200);
    t.clock.advance(1_000);
    for (let time = 0; time < 2; time += 1) {
      expect((await signOut(await tokenOf(ann, undefined))).status).toBe(200);
      t.clock.advance(1_000);
    }
    expect(await logged()).toBe(2);
    t.clock.advance(3_600_000);
    expect((await signOut(await tokenOf(ann, undefined))).status).toBe(200);
    expect(await logged()).toBe(3);
  });

  test('fails if it cannot be recorded in the audit log (security 50)', async () => {
    const ann = await createPerson();
    const response = await withRefusedWrites(
      t,
      'audit_log',
      () => t.callAs(ann, signOutEverywhere, { body: { revokeTokens: false } }),
      { when: `new.action = 'person.signed_out'` },
    );
    expect(response.status).toBe(500);
    expect(await codeOf(ann.token)).toBe('ok');
  });
});

test('an administrator can sign a person out everywhere, which is logged (K3, K6)', async () => {
  const ann = await createPerson();
  const { status, body } = await t.call(signOutPerson, await asAdmin(ann.id));
  expect([status, body.status]).toEqual([200, 'active']);
  expect(await codeOf(ann.token)).toBe('person.signed_out');
  expect(await t.auditOf(ann.id, 'person.signed_out')).toMatchObject([{ actor_label: admin.email }]);
  const unknownId = '0192f0c1-2345-7abc-8def-0123456789ab';
  expect((await t.call(signOutPerson, await asAdmin(unknownId))).body.code).toBe('person.not_found');
});

describe('downloadMyData', () => {
  type Data = Record<string, Record<string, unknown>[]> & { person: Record<string, unknown> };

  test('returns all stored data about the person and none of others (K6)', async () => {
    const [boss, other] = [await createPerson('admin'), await createPerson('admin')];
    await t.callAs(boss, changePreferences, { body: { theme: 'ink', language: 'de' } });
    const { body: made } = await t.callAs(boss, createToken, {
      body: { name: 'Nightly import', scopes: ['people:read'], days: 30 },
    });
    const state = { layout: { columns: [] } };
    await t.callAs(boss, createView, {
      params: { grid: 'people' },
      body: { name: 'Mine', shared: false, state },
    });
    await t.callAs(other, createView, {
      params: { grid: 'people' },
      body: { name: 'Not mine', shared: true, state },
    });
    await t.callAs(boss, invite, { body: { email: 'guest@example.com' } });
    await t.select(
      `with files as (
         insert into attachments
           (id, owner_id, owner_name, owner_email, name, type, kind, size, sha256, sharing, shared_count, status, created_at, verified_at)
         select gen_random_uuid(), id, display_name, email, 'plan-of-' || role_name || '.pdf', 'application/pdf', 'pdf', 3, '\\xab',
           'people', 1, 'ready', now(), now()
         from people join (values ($1::uuid, 'boss'), ($2::uuid, 'other')) as owners (owner, role_name) on owner = id
         returning id, owner_id)
       insert into attachment_shares (attachment_id, person_id, shared_at)
       select id, case owner_id when $1::uuid then $2::uuid else $1::uuid end, now() from files`,
      [boss.id, other.id],
    );
    await t.callAs(other, signOutPerson, { params: { personId: boss.id } });
    t.clock.advance(60_000);

    const response = await t.call(downloadMyData, { token: await tokenOf(boss, seconds()) });
    expect(response.headers['content-disposition']).toMatch(
      /^attachment; filename="my-data-\d{4}-\d\d-\d\d\.json"$/,
    );
    expect(response.headers['cache-control']).toBe('no-store');
    const data = JSON.parse(response.text) as Data;
    expect(data.person).toMatchObject({ id: boss.id, email: boss.email, theme: 'ink', language: 'de' });
    expect(data['signIns']).toMatchObject([{ address: '127.0.0.1' }, { address: '127.0.0.1' }]);
    expect(data['invitations']).toMatchObject([{ email: boss.email, status: 'redeemed' }]);
    expect(data['accessTokens']).toMatchObject([{ name: 'Nightly import', scopes: ['people:read'] }]);
    expect(data['views']).toMatchObject([{ name: 'Mine', state }]);
    expect(data['files']).toMatchObject([{ name: 'plan-of-boss.pdf', size: 3, sha256: 'ab', sharedWith: 1 }]);
    expect(data['filesSharedWithMe']).toMatchObject([{ name: 'plan-of-other.pdf' }]);
    const acts = data['activity']?.map(({ action, actor, address }) => [action, actor, address]);
    expect(acts).toContainEqual(['invitation.created', boss.email, '127.0.0.1']);
    // Actions of others are included without their network address.
    expect(acts).toContainEqual(['person.signed_out', other.email, null]);
    expect(acts?.at(-1)).toEqual(['person.data_downloaded', boss.email, '127.0.0.1']);
    expect(response.text).not.toContain('Not mine');
    expect(response.text).not.toContain(made.token.slice(4));
    expect(response.text).not.toMatch(/hash/i);
  });

  test('returns one JSON text for more entries than one batch', async () => {
    const ann = await createPerson();
    await t.select`
      insert into audit_log (action, actor_id, actor_label, target_type, target_id, target_label, address, request_id, detail)
      select 'test.done', ${ann.id}, 'ann', 'test', n::text, 'quote " and line\nbreak', '', '', '{}'
      from generate_series(1, 1201) n`;
    const data = JSON.parse((await t.callAs(ann, downloadMyData)).text) as Data;
    expect(data['activity']?.filter(({ action }) => action === 'test.done')).toHaveLength(1201);
  });

  test('is limited per hour, with a Retry-After header', async () => {
    const ann = await createPerson();
    for (let time = 0; time < dataDownloadsPerHour; time += 1)
      expect((await t.callAs(ann, downloadMyData)).status).toBe(200);
    const refused = await t.callAs(ann, downloadMyData);
    expect(refused).toMatchObject({ status: 429, body: { code: 'profile.too_many_downloads' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
    const bob = await createPerson();
    expect((await t.callAs(bob, downloadMyData)).status).toBe(200);
  });
});
