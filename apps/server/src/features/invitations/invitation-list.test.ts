import { countInvitations, getInvitation, listInvitations } from '@vestibule/contract/invitations';
import { removePerson } from '@vestibule/contract/people';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createInvitingApp, type InvitingApp } from './test-inviting.ts';

let t: InvitingApp;
beforeAll(async () => {
  t = await createInvitingApp();
});
beforeEach(() => t.advanceHour());
afterAll(() => t.close());

test('group counts match the filtered list and require an administrator (K2)', async () => {
  const counts = async (): Promise<Record<string, number>> => {
    const { body } = await t.call(countInvitations, { token: t.admin.token });
    const { all, waiting, expiring, failed, expired, joined } = body;
    return { all, waiting, expiring, failed, expired, joined };
  };
  const before = await counts();
  await t.invited({ lifetimeDays: 30 });
  await t.invited({ lifetimeDays: 1 });
  const { id: failed } = await t.invited({ lifetimeDays: 30 });
  await t.select(`update invitations set mail_state = 'failed' where id = $1`, [failed]);
  const { id: expired } = await t.invited();
  await t.select(`update invitations set mail_state = 'failed' where id = $1`, [expired]);
  await t.expire(expired);
  const after = await counts();
  const more = Object.fromEntries(
    Object.entries(after).map(([group, count]) => [group, count - (before[group] ?? 0)]),
  );
  expect(more).toEqual({ all: 4, waiting: 3, expiring: 1, failed: 1, expired: 1, joined: 0 });
  for (const [group, count] of Object.entries(after)) {
    if (group === 'all') continue;
    const filters = JSON.stringify([{ column: 'group', is: 'oneOf', values: [group] }]);
    const { body } = await t.call(listInvitations, { token: t.admin.token, query: { filters } });
    expect([group, body.total]).toEqual([group, count]);
  }
  const member = await t.join(t.newAddress());
  expect((await t.call(countInvitations, { token: member.token })).status).toBe(403);
});

describe('the list', () => {
  const rowsWith = async (...filters: object[]) =>
    (
      await t.call(listInvitations, {
        token: t.admin.token,
        query: { limit: 500, filters: JSON.stringify(filters) },
      })
    ).body.rows;

  test('can be filtered by displayed status, mail status, language, inviter and times', async () => {
    const { id: opened } = await t.invited({ language: 'de' });
    await t.exchange(await t.codeOf(opened));
    const { id: expired } = await t.invited();
    await t.expire(expired);
    const idsWith = async (...filters: object[]) => (await rowsWith(...filters)).map(({ id }) => id);
    const mine = { column: 'createdBy', is: 'oneOf', values: [t.admin.email] };
    expect(await idsWith(mine, { column: 'status', is: 'oneOf', values: ['opened'] })).toEqual([opened]);
    expect(await idsWith(mine, { column: 'status', is: 'oneOf', values: ['expired'] })).toEqual([expired]);
    expect(await idsWith(mine, { column: 'language', is: 'oneOf', values: ['de'] })).toEqual([opened]);
    expect(await idsWith(mine, { column: 'openedAt', is: 'filled' })).toEqual([opened]);
    expect(await idsWith(mine, { column: 'batchId', is: 'filled' })).toEqual([]);
    const hourAgo = new Date(t.clock.now() - 3600_000).toISOString();
    expect(await idsWith(mine, { column: 'createdAt', is: 'between', from: hourAgo })).toHaveLength(2);
    expect(await idsWith(mine, { column: 'mailState', is: 'oneOf', values: ['failed'] })).toEqual([]);
  });
});

test('details contain the person who signed up, until the person is removed (K2)', async () => {
  const { id: open } = await t.invited();
  expect((await t.call(getInvitation, t.one(open))).body.personId).toBeNull();
  const person = await t.join(t.newAddress());
  const [{ id }] = (await t.select('select id from invitations where email = $1', [person.email])) as [
    { id: string },
  ];
  const found = (await t.call(getInvitation, t.one(id))).body;
  expect(found).toMatchObject({ status: 'redeemed', personId: person.id });
  await t.call(removePerson, { token: t.admin.token, params: { personId: person.id } });
  expect((await t.call(getInvitation, t.one(id))).body.personId).toBeNull();
});
