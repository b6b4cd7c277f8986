import { describeSkipped } from '../../platform/lists/bulk-action.ts';
import { getMe } from '@vestibule/contract/profile/me';
import { invite } from '@vestibule/contract/invitations';
import {
  actOnPeople,
  disablePerson,
  getPerson,
  listPeople,
  type PeopleAction,
  personSkipped,
} from '@vestibule/contract/people';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestApp, type TestPerson } from '../../test/test-app.ts';
import { actionsSince, newestEntry, unknownId } from './test-people.ts';
import { closeAfterTests } from '../../test/test-close.ts';

let admin: TestPerson;
let before: number;
/** Simulated duration of each transaction, in milliseconds, and number of transactions after which all fail. */
let batchDurationMs = 0;
let failAfter = Number.POSITIVE_INFINITY;
const t = closeAfterTests(
  await createTestApp({
    wrapDatabase: (database) => ({
      ...database,
      async transaction(work, limit) {
        if ((failAfter -= 1) < 0) throw new Error('The disk is full.');
        const result = await database.transaction(work, limit);
        if (batchDurationMs > 0) t.clock.advance(batchDurationMs);
        return result;
      },
    }),
  }),
);
beforeEach(async () => {
  batchDurationMs = 0;
  failAfter = Number.POSITIVE_INFINITY;
  admin = await t.join('admin@example.com', 'admin');
  before = await newestEntry(t);
});
afterEach(() => t.select('delete from people'));

const asAdmin = (personId: string) => ({ token: admin.token, params: { personId } });
const auditActions = () => actionsSince(t, before);
async function identificationOf({ id }: { id: string }) {
  const { displayName: name, email } = (await t.call(getPerson, asAdmin(id))).body;
  return { id, name, email };
}

describe('actOnPeople', () => {
  const act = (action: PeopleAction, selection: unknown, token = admin.token) =>
    t.call(actOnPeople, { token, body: { action, selection: selection as never } });

  test('changes people with an audit entry each and reports skipped ones with the reason', async () => {
    const [ann, bob] = [await t.join('ann@example.com'), await t.join('bob@example.com')];
    const carl = await t.join('carl@example.com', 'admin');
    await t.call(disablePerson, asAdmin(bob.id));
    const ids = [ann.id, bob.id, carl.id, admin.id, unknownId, ann.id];
    expect((await act('disable', { ids })).body).toEqual({
      done: 2,
      skipped: expect.arrayContaining([
        describeSkipped(bob.id, 'bob@example.com', personSkipped.isDisabled, await identificationOf(bob)),
        describeSkipped(admin.id, 'admin@example.com', personSkipped.isYou, await identificationOf(admin)),
        describeSkipped(unknownId, '', personSkipped.gone),
      ]),
      skippedCount: 3,
      rest: null,
    });
    expect((await t.callAs(carl, getMe)).body.code).toBe('person.disabled');
    expect(await auditActions()).toEqual(['person.disabled', 'person.disabled', 'person.disabled']);
  });

  test.each<[PeopleAction, object]>([
    ['makeAdmin', { role: 'admin' }],
    ['makeMember', { role: 'member' }],
    ['enable', { status: 'active' }],
    ['disable', { status: 'disabled' }],
  ])('%s applies to all selected people', async (action, expected) => {
    const ids = [(await t.join('ann@example.com')).id, (await t.join('bob@example.com', 'admin')).id];
    await t.call(disablePerson, asAdmin(ids[1] as string));
    await act(action, { ids });
    for (const id of ids) expect((await t.call(getPerson, asAdmin(id))).body).toMatchObject(expected);
  });

  test('removes all people that match a search, who can be invited again', async () => {
    for (const name of ['qq1', 'qq2', 'y']) await t.join(`${name}@example.com`);
    expect((await act('remove', { all: { search: 'qq', total: 2 } })).body.done).toBe(2);
    const { rows } = (await t.callAs(admin, listPeople)).body;
    expect(rows.map(({ email }) => email).sort()).toEqual(['admin@example.com', 'y@example.com']);
    expect((await t.callAs(admin, invite, { body: { email: 'qq1@example.com' } })).status).toBe(200);
    await t.select("delete from invitations where status = 'pending'");
  });

  describe('for thousands of people', () => {
    const total = 2_100;
    const filters = [{ column: 'email', is: 'contains', text: '@many.example' }];
    beforeEach(
      () =>
        t.select`
        insert into people (id, email, email_canonical, display_name, role)
        select gen_random_uuid(), n || '@many.example', n || '@many.example', 'N', 'member'
        from generate_series(1, ${total}) n`,
    );
    const disabled = () => t.scalars<string>`select id from people where status = 'disabled' order by id`;

    test.each([
      ['they still match afterwards', filters],
      [
        'they no longer match afterwards',
        [...filters, { column: 'status', is: 'oneOf', values: ['active'] }],
      ],
    ])(
      'changes each selected person once, and no excluded person, over several calls if %s (J2)',
      async (_what, requestedFilters) => {
        await t.select("update people set status = 'disabled' where email = '7@many.example'");
        const except =
          await t.scalars<string>`select id from people where email in ('1@many.example', '2@many.example')`;
        batchDurationMs = 2_500;
        let selection: unknown = { all: { filters: requestedFilters, except, total } };
        const responses = [];
        while (selection !== null) {
          const { body } = await act('disable', selection);
          responses.push(body);
          selection = body.rest;
        }
        const alreadyDisabled = requestedFilters === filters ? 1 : 0;
        expect(responses.map(({ done, skippedCount }) => done + skippedCount)).toEqual([
          2_000,
          97 + alreadyDisabled,
        ]);
        expect(responses.map(({ skippedCount }) => skippedCount).reduce((one, other) => one + other)).toBe(
          alreadyDisabled,
        );
        expect(await disabled()).toHaveLength(total - 2);
        expect(await disabled()).not.toContain(except[0]);
        expect(await auditActions()).toHaveLength(total - 3);
      },
    );

    test('returns the batches completed before a failure, and another call changes the remaining people', async () => {
      failAfter = 2;
      const first = await act('disable', { all: { filters, total } });
      expect(first).toMatchObject({ status: 200, body: { done: 2_000, skippedCount: 0 } });
      expect((await act('disable', first.body.rest)).status).toBe(500);
      expect(await disabled()).toHaveLength(2_000);
      failAfter = Number.POSITIVE_INFINITY;
      expect((await act('disable', first.body.rest)).body).toMatchObject({ done: total - 2_000, rest: null });
      expect(await auditActions()).toHaveLength(total);
    });
  });

  test('leaves one administrator after 64 concurrent actions on all others (F5; security 12)', async () => {
    const administrators = [admin];
    for (let index = 1; index < 16; index += 1)
      administrators.push(await t.join(`admin-${index}@example.com`, 'admin'));
    const actions: PeopleAction[] = ['makeMember', 'disable', 'remove'];
    const responses = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        act(
          actions[index % 3] as PeopleAction,
          { ids: administrators.map(({ id }) => id) },
          administrators[index % 16]?.token,
        ),
      ),
    );
    expect(responses.filter(({ status }) => status !== 200 && status !== 403)).toEqual([]);
    expect(await t.select("select from people where role = 'admin' and status = 'active'")).toHaveLength(1);
  });
});
