import {
  getDashboardFigures,
  getOwnDashboard,
  getPendingCount,
  markPendingSeen,
} from '@vestibule/contract/dashboard';
import { invite, listInvitations, revokeInvitation } from '@vestibule/contract/invitations';
import { getInviteToken } from '@vestibule/contract/invitations/link';
import {
  actOnPeople,
  disablePerson,
  enablePerson,
  listPeople,
  removePerson,
} from '@vestibule/contract/people';
import type { Filter } from '@vestibule/contract/values';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTestApp, type TestPerson } from '../../test/test-app.ts';
import { invitationMails } from '../invitations/invitation-mail.ts';
import { aggregateCounts } from './counts.ts';
import { closeAfterTests } from '../../test/test-close.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

let admin: TestPerson;
const t = closeAfterTests(await createTestApp());
beforeEach(async () => {
  t.clock.advance(61 * minute);
  admin = await t.join(newAddress(), 'admin');
});

let counter = 0;
const newAddress = () => `guest-${(counter += 1)}@example.com`;
const figures = async (query: { days?: number; timeZone?: string } = {}) =>
  (await t.callAs(admin, getDashboardFigures, { query })).body;
const createInvitation = async (body: object = {}) =>
  (await t.callAs(admin, invite, { body: { email: newAddress(), ...body } })).body;
const asInvitation = (invitationId: string) => ({ token: admin.token, params: { invitationId } });
const asPerson = (personId: string) => ({ token: admin.token, params: { personId }, query: {} });
const mails = () => invitationMails({ ...t, publicUrl: t.config.publicUrl, now: t.clock.now }).invitation;
const markMailed = (id: string) => mails().sent?.(`${id}/1`);
const markBounced = (id: string) => mails().failed?.(`${id}/1`, '550 no such user', true);
const openLink = (id: string) => t.call(getInviteToken, { body: { code: t.shortCodes.codeOf(id) } });

async function totalOf(
  list: typeof listInvitations | typeof listPeople,
  ...filters: Filter[]
): Promise<number> {
  const query = { limit: 1, filters: JSON.stringify(filters) };
  const { status, body } = await t.callAs(admin, list, { query });
  expect(status).toBe(200);
  return body.total as number;
}

/** Compares the figures with the totals of the lists they link to. */
async function expectAsListed(): Promise<void> {
  const { people, invitations, funnel, from } = await figures({ days: 7 });
  const oneOf = (column: string, ...values: string[]): Filter => ({ column, is: 'oneOf', values });
  const open = oneOf('status', 'pending', 'opened');
  const created: Filter = { column: 'createdAt', is: 'between', from };
  expect({ people, invitations, funnel }).toEqual({
    people: {
      active: await totalOf(listPeople, oneOf('status', 'active')),
      disabled: await totalOf(listPeople, oneOf('status', 'disabled')),
    },
    invitations: {
      open: await totalOf(listInvitations, open),
      expiringSoon: await totalOf(listInvitations, open, {
        column: 'expiresAt',
        is: 'between',
        to: invitations.soonUntil,
      }),
      soonUntil: expect.any(String),
      mailFailed: await totalOf(listInvitations, open, oneOf('mailState', 'failed')),
    },
    funnel: {
      created: await totalOf(listInvitations, created),
      mailed: await totalOf(listInvitations, created, { column: 'mailedAt', is: 'filled' }),
      opened: await totalOf(listInvitations, created, { column: 'openedAt', is: 'filled' }),
      redeemed: await totalOf(listInvitations, created, oneOf('status', 'redeemed')),
    },
  });
}

describe('the dashboard figures', () => {
  test('count invitations by state and match the linked lists (K1)', async () => {
    const before = await figures();
    const [pending, redeemed, undeliverable, revoked] = [
      await createInvitation(),
      await createInvitation(),
      await createInvitation(),
      await createInvitation(),
    ];
    await Promise.all([markMailed(redeemed.id), markMailed(revoked.id), markBounced(undeliverable.id)]);
    await openLink(redeemed.id);
    const token = await t.mint({ sub: 'who comes', emails: [redeemed.email], invitationId: redeemed.id });
    expect((await t.call(getOwnDashboard, { token })).status).toBe(200);
    await t.call(revokeInvitation, asInvitation(revoked.id));
    const after = await figures();
    expect(after.funnel).toEqual({
      created: before.funnel.created + 4,
      mailed: before.funnel.mailed + 2,
      opened: before.funnel.opened + 1,
      redeemed: before.funnel.redeemed + 1,
    });
    expect(after.invitations).toMatchObject({
      open: before.invitations.open + 2,
      mailFailed: before.invitations.mailFailed + 1,
    });
    expect(after.people.active).toBe(before.people.active + 1);
    await expectAsListed();

    // Deleting a row reverts its counts.
    await t.select`delete from invitations where id = ${pending.id}`;
    expect((await figures()).funnel.created).toBe(before.funnel.created + 3);
    await expectAsListed();
  });

  test('count expiring and expired invitations exactly (K1)', async () => {
    const before = await figures();
    await t.invitationTo(newAddress(), { expiresInMs: 2 * day });
    await t.invitationTo(newAddress(), { expiresInMs: 7 * minute });
    await t.invitationTo(newAddress(), { expiresInMs: 4 * day });
    const { open, expiringSoon } = before.invitations;
    expect((await figures()).invitations).toMatchObject({ open: open + 3, expiringSoon: expiringSoon + 2 });
    await expectAsListed();
    t.clock.advance(7 * minute - 1);
    expect((await figures()).invitations.open).toBe(open + 3);
    t.clock.advance(1);
    expect((await figures()).invitations.open).toBe(open + 2);
    await expectAsListed();
  });

  test('count disabled, enabled and removed people, also after bulk actions (K1)', async () => {
    const [first, second, third] = [
      await t.join(newAddress()),
      await t.join(newAddress()),
      await t.join(newAddress()),
    ];
    const { active, disabled } = (await figures()).people;
    await t.call(disablePerson, asPerson(first.id));
    expect((await figures()).people).toEqual({ active: active - 1, disabled: disabled + 1 });
    await t.call(enablePerson, asPerson(first.id));
    const selection = { ids: [first.id, second.id] };
    await t.callAs(admin, actOnPeople, { body: { action: 'disable', selection } });
    await t.call(removePerson, asPerson(second.id));
    await t.call(removePerson, asPerson(third.id));
    expect((await figures()).people).toEqual({ active: active - 3, disabled: disabled + 1 });
    await expectAsListed();
  });

  test('are unchanged by aggregating counts, which leaves one row per quarter of an hour (K1)', async () => {
    await t.invitationTo(newAddress());
    await t.invitationTo(newAddress());
    const before = await figures();
    await Promise.all([aggregateCounts(t.database), aggregateCounts(t.database)]);
    await aggregateCounts(t.database);
    expect(await figures()).toEqual(before);
    expect(await t.select('select from counts group by what, at having count(*) > 1')).toEqual([]);
    expect(await t.select('select from counts where count = 0')).toEqual([]);
  });

  test('group sign-ins by days of the given time zone, and by weeks for a year (K1)', async () => {
    const person = await t.join(newAddress());
    const at = Math.floor(t.clock.now() / day) * day;
    const signIns = async (timeZone: string, days: number) => (await figures({ timeZone, days })).signIns;
    const before = { utc: await signIns('UTC', 7), tokyo: await signIns('Asia/Tokyo', 7) };
    // 14:59 UTC is the same day in Tokyo, 15:00 is the next one.
    await t.select`
      insert into sign_ins (person_id, session, at, address, user_agent)
      select ${person.id}, n::text, ${new Date(at - 3 * day)}::timestamptz + make_interval(mins => 898 + n), '', ''
      from generate_series(1, 3) n`;
    const added = (after: typeof before.utc, earlier: typeof before.utc) =>
      after.map(({ count }, index) => count - (earlier[index]?.count ?? 0));
    const [utc, tokyo] = [await signIns('UTC', 7), await signIns('Asia/Tokyo', 7)];
    expect(utc).toHaveLength(7);
    expect(added(utc, before.utc)).toEqual([0, 0, 0, 3, 0, 0, 0]);
    expect(added(tokyo, before.tokyo).filter((count) => count > 0)).toEqual([1, 2]);
    const year = await signIns('UTC', 364);
    expect(year).toHaveLength(52);
    expect(year.at(-1)?.count).toBe(utc.reduce((sum, { count }) => sum + count, 0));
  });

  test('contain the latest audit entries, newest first (K1)', async () => {
    const { email } = await createInvitation();
    const { latest } = await figures();
    expect(latest[0]).toMatchObject({ action: 'invitation.created', target: email, actor: admin.email });
    expect(latest.length).toBeLessThanOrEqual(6);
  });

  test.for([
    [{ timeZone: 'Middle/Earth' }, 'This time zone does not exist'],
    [{ timeZone: 'x'.repeat(65) }, 'at most 64 characters'],
    [{ days: 31 }, 'The figures cover 7, 30, 90, 364 days.'],
    [{ days: Number.NaN }, 'The figures cover'],
  ] as const)('return 400 with the allowed values for %j', async ([query, sentence]) => {
    const { status, body } = await t.callAs(admin, getDashboardFigures, { query });
    expect(status).toBe(400);
    expect(JSON.stringify(body.fields)).toContain(sentence);
  });
});

test('getOwnDashboard returns the joining date and the latest sign-ins of the caller only (K1)', async () => {
  const person = await t.join(newAddress());
  const joinedAt = new Date(t.clock.now()).toISOString();
  for (let time = 1; time <= 6; time += 1) {
    t.clock.advance(13 * hour);
    const seconds = Math.floor(t.clock.now() / 1000);
    const token = await t.mint({ sub: person.subject, auth_time: seconds });
    await t.call(getOwnDashboard, { token, headers: { 'user-agent': 'Mozilla/5.0 (Windows) Firefox/140' } });
  }
  const token = await t.mint({ sub: person.subject, auth_time: Math.floor(t.clock.now() / 1000) });
  const { body } = await t.call(getOwnDashboard, { token });
  expect(body.joinedAt).toBe(joinedAt);
  expect(body.signIns).toHaveLength(5);
  expect(body.signIns[0]).toMatchObject({
    at: new Date(t.clock.now()).toISOString(),
    browser: 'Firefox',
    system: 'Windows',
    address: '127.0.0.1',
  });
});

test('getOwnDashboard returns the data of each of several concurrent callers', async () => {
  const joinDates: string[] = [];
  const people: TestPerson[] = [];
  for (let index = 0; index < 2; index += 1) {
    people.push(await t.join(newAddress()));
    joinDates.push(new Date(t.clock.now()).toISOString());
    t.clock.advance(minute);
  }
  const responses = await Promise.all(
    [...people, ...people].map(async ({ token }) => (await t.call(getOwnDashboard, { token })).body),
  );
  expect(responses.map(({ joinedAt }) => joinedAt)).toEqual([...joinDates, ...joinDates]);
});

test('a failed mail counts as pending for each administrator until that administrator has marked it as seen (K1)', async () => {
  const second = await t.join(newAddress(), 'admin');
  const pendingCount = async ({ token }: TestPerson) =>
    (await t.call(getPendingCount, { token })).body.mailFailed;
  const markSeen = async ({ token }: TestPerson) =>
    (await t.call(markPendingSeen, { token })).body.mailFailed;
  await markSeen(admin);
  await markSeen(second);
  t.clock.advance(minute);
  const { id } = await createInvitation();
  await markBounced(id);
  expect([await pendingCount(admin), await pendingCount(second)]).toEqual([1, 1]);
  t.clock.advance(1);
  expect(await markSeen(admin)).toBe(0);
  expect([await pendingCount(admin), await pendingCount(second)]).toEqual([0, 1]);
  // A revoked invitation is not pending.
  await t.call(revokeInvitation, asInvitation(id));
  expect(await pendingCount(second)).toBe(0);
});
