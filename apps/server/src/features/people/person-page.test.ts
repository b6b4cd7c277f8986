import { getMe } from '@vestibule/contract/profile/me';
import {
  changeRole,
  disablePerson,
  enablePerson,
  getPerson,
  listSignIns,
  listTimeline,
  removePerson,
} from '@vestibule/contract/people';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestApp, type TestPerson } from '../../test/test-app.ts';
import { closeAfterTests } from '../../test/test-close.ts';

let admin: TestPerson;
const t = closeAfterTests(await createTestApp());
beforeEach(async () => {
  admin = await t.join('admin@example.com', 'admin');
});
afterEach(() => t.select('delete from people'));

const asAdmin = (personId: string) => ({ token: admin.token, params: { personId } });
const unknownId = '0192f0c1-2345-7abc-8def-0123456789ab';

describe('listTimeline', () => {
  test('returns entries by and about the person, newest first (K3)', async () => {
    const ann = await t.join('ann@example.com', 'admin');
    const bob = await t.join('bob@example.com');
    await t.call(changeRole, { ...asAdmin(ann.id), body: { role: 'member' } });
    await t.call(changeRole, { ...asAdmin(ann.id), body: { role: 'admin' } });
    await t.callAs(ann, disablePerson, { params: { personId: bob.id } });
    const { rows, more } = (await t.call(listTimeline, asAdmin(ann.id))).body;
    expect(more).toBe(false);
    expect(rows).toMatchObject([
      { action: 'person.disabled', actor: 'ann@example.com', target: 'bob@example.com' },
      {
        action: 'person.role_changed',
        actor: 'admin@example.com',
        detail: { before: { role: 'member' }, after: { role: 'admin' } },
      },
      { action: 'person.role_changed', target: 'ann@example.com' },
      { action: 'invitation.redeemed', actor: 'ann@example.com' },
    ]);
    const older = await t.call(listTimeline, {
      ...asAdmin(ann.id),
      query: { before: rows[1]?.id },
    });
    expect(older.body.rows.map(({ id }) => id)).toEqual(rows.slice(2).map(({ id }) => id));
  });

  test('returns 50 entries per page', async () => {
    const ann = await t.join('ann@example.com');
    for (let time = 0; time < 26; time += 1) {
      await t.call(disablePerson, asAdmin(ann.id));
      await t.call(enablePerson, asAdmin(ann.id));
    }
    const first = (await t.call(listTimeline, asAdmin(ann.id))).body;
    expect(first).toMatchObject({ more: true, rows: { length: 50 } });
    const query = { before: first.rows.at(-1)?.id as number };
    expect((await t.call(listTimeline, { ...asAdmin(ann.id), query })).body).toMatchObject({
      more: false,
      rows: { length: 3 },
    });
  });

  test.each([
    ['the person', getPerson],
    ['the timeline', listTimeline],
    ['the sign-ins', listSignIns],
  ] as [string, typeof getPerson][])(
    '%s of an unknown person returns 404 (security 14)',
    async (_what, route) => {
      expect((await t.call(route, asAdmin(unknownId))).body.code).toBe('person.not_found');
    },
  );
});

describe('the sign-ins of a person', () => {
  const signIns = async (personId: string) => (await t.call(listSignIns, asAdmin(personId))).body.rows;
  const visit = async (person: TestPerson, authTime: number | undefined, userAgent = '') =>
    t.call(getMe, {
      token: await t.mint({ sub: person.subject, emails: [person.email], auth_time: authTime }),
      headers: { 'user-agent': userAgent },
    });
  const chrome =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';

  test('contain one entry per sign-in with time, address and browser, however many tokens follow (K3)', async () => {
    const ann = await t.join('ann@example.com');
    const joined = new Date(t.clock.now()).toISOString();
    t.clock.advance(60_000);
    await visit(ann, 1_000, chrome);
    await visit(ann, 1_000, 'another program');
    t.clock.advance(60_000);
    const latest = new Date(t.clock.now()).toISOString();
    await visit(ann, 2_000, 'x'.repeat(5_000));
    expect(await signIns(ann.id)).toMatchObject([
      { at: latest, browser: null, system: null, address: '127.0.0.1' },
      { browser: 'Chrome', system: 'Windows' },
      { at: joined },
    ]);
    expect((await t.call(getPerson, asAdmin(ann.id))).body.lastSignInAt).toBe(latest);
  });

  test('are recorded after twelve hours without a request if tokens have no sign-in time', async () => {
    const ann = await t.join('ann@example.com');
    const renew = async () => (admin.token = await t.mint({ sub: admin.subject, emails: [admin.email] }));
    t.clock.advance(11 * 3_600_000);
    await visit(ann, undefined);
    await renew();
    expect(await signIns(ann.id)).toHaveLength(1);
    t.clock.advance(12 * 3_600_000);
    await visit(ann, undefined);
    await renew();
    expect(await signIns(ann.id)).toHaveLength(2);
  });

  test('are not recorded for disabled people and are deleted with the person', async () => {
    const ann = await t.join('ann@example.com');
    await t.call(disablePerson, asAdmin(ann.id));
    await visit(ann, 7_000);
    expect(await signIns(ann.id)).toHaveLength(1);
    await t.call(removePerson, asAdmin(ann.id));
    expect(await t.select`select from sign_ins where person_id = ${ann.id}`).toEqual([]);
  });
});
