/** Routes by which administrators migrate people to another sign-in method (statement M5; security 60). */
import {
  countMigrations,
  startMigrations,
  previewMigrationMail,
  remindMigrations,
} from '@vestibule/contract/identity-migrations';
import type { RouteResult } from '@vestibule/contract/route';
import { describe, expect, test } from 'vitest';
import { homePath, setUpOidcSite } from '../../../test/sign-in/test-oidc-site.ts';
import { createTestMigrations } from './test-migrations.ts';

const site = await setUpOidcSite();
const migrations = await createTestMigrations(site);

const day = 24 * 3_600_000;
const skipReasons = (response: { skipped: { label: string; reasonText: { code: string } }[] }) =>
  response.skipped.map(({ reasonText }) => reasonText.code.replace('move_skipped.', ''));
const queuedMails = (migrationId: string) =>
  site.t.select`select from jobs.job where name = 'mail' and data->>'subjectId' = ${migrationId}`;
/** Backdates a migration. */
const backdate = (migrationId: string, milliseconds: number) =>
  site.t.select`
    update identity_migrations
    set created_at = created_at - ${milliseconds} * interval '1 ms', reminded_at = reminded_at - ${milliseconds} * interval '1 ms',
    expires_at = expires_at - ${milliseconds} * interval '1 ms' where id = ${migrationId}`;
/** Creates a person who has migrated from `acme` to `other`. */
async function createCompleted() {
  const pending = await migrations.create();
  const browser = site.browser();
  expect(await migrations.signIn(browser, pending.code)).toBe(homePath);
  return { ...pending, old: pending.browser, browser };
}
const counts = async () =>
  (await migrations.admin.browser.ask('GET', `${countMigrations.path}?way=other`)).json<
    RouteResult<typeof countMigrations>
  >();

describe('starting migrations', () => {
  test('a person gets a mail in their language with a personal link; the migration gets a list row and a log entry', async () => {
    const { id, email } = await site.join();
    await site.t.select`update people set language = 'de' where id = ${id}`;
    expect(await migrations.start([id])).toMatchObject({ done: 1, skippedCount: 0, rest: null });
    const migrationId = await migrations.migrationIdOf(id);
    expect(await queuedMails(migrationId)).toHaveLength(1);
    const mail = await migrations.mailOf(migrationId);
    expect(mail).toMatchObject({
      to: { address: email },
      subject: 'Vestibule: Melden Sie sich künftig mit Other an',
    });
    expect(mail?.text).toMatch(/https:\/\/portal\.example\.com\/move\?m=[1-9A-Za-z]{22}\s/);
    const { rows } = await migrations.list(`search=${email}`);
    expect(rows).toMatchObject([
      {
        id: migrationId,
        personId: id,
        email,
        way: 'other',
        wayName: 'Other',
        state: 'waiting',
        mail: 'queued',
        mailError: null,
        madeBy: migrations.admin.email,
        remindedAt: null,
        otherWays: ['Acme'],
      },
    ]);
    expect(await migrations.logOf(id)).toEqual(['move.begun by admin']);
  });

  test('people who already have the method or a link, or are disabled or removed, are skipped with the reason', async () => {
    const [plain, disabled] = [await site.join(), await site.join()];
    const [has, pending] = [await createCompleted(), await migrations.create()];
    await site.t.select`update people set status = 'disabled' where id = ${disabled.id}`;
    const removed = '00000000-0000-4000-8000-000000000000';
    const response = await migrations.start([plain.id, has.id, pending.id, disabled.id, removed]);
    expect(response).toMatchObject({ done: 1, skippedCount: 4 });
    expect(skipReasons(response).toSorted()).toEqual(['disabled', 'gone', 'hasLink', 'hasWay']);
    expect(response.skipped.find(({ id }) => id === has.id)?.person).toEqual({
      id: has.id,
      name: expect.stringMatching(/./),
      email: has.email,
    });
  });

  test('a migration can be started for all people who match a search', async () => {
    const { id, email } = await site.join();
    const response = await migrations.admin.browser.ask('POST', startMigrations.path, {
      body: { way: 'other', selection: { all: { search: email, total: 1 } } },
    });
    expect(response.json()).toMatchObject({ done: 1, rest: null });
    expect(await migrations.migrationIdOf(id)).toBeDefined();
  });

  test('B2C and unknown methods are refused', async () => {
    for (const methodId of ['b2c', 'nowhere']) {
      const response = await migrations.admin.browser.ask('POST', startMigrations.path, {
        body: { way: methodId, selection: { ids: [migrations.admin.id] } },
      });
      expect(response.json()).toMatchObject({ code: 'sign_in.way_unknown' });
    }
  });

  test('starts and reminders are refused if mail is off', async () => {
    const { id, browser } = migrations.admin;
    for (const [path, body] of [
      [startMigrations.path, { way: 'other', selection: { ids: [id] } }],
      [remindMigrations.path, { selection: { ids: [id] } }],
    ] as const)
      await site.withoutMail(async () => {
        const response = await browser.ask('POST', path, { body });
        expect(response.json()).toMatchObject({ code: 'move.no_mail' });
      });
  });
});

test('the mail preview contains an example link, which does not work', async () => {
  const response = await migrations.admin.browser.ask(
    'GET',
    `${previewMigrationMail.path}?way=other&language=en&scheme=dark`,
  );
  const mail = response.json<RouteResult<typeof previewMigrationMail>>();
  expect(mail.subject).toBe('Vestibule: sign in with Other from now on');
  expect(mail.text).toContain('/move?m=EXAMPLE');
  expect(await migrations.getLink(site.browser(), 'EXAMPLE')).toMatchObject({ state: 'ended' });
});

describe('a reminder', () => {
  test('is mailed at most once a day and extends the link by 30 days', async () => {
    const { id, migrationId, code } = await migrations.create();
    const again = await migrations.remind([migrationId]);
    expect(skipReasons(again)).toEqual(['justMailed']);
    expect(again.skipped[0]?.person?.name).toMatch(/./);
    await backdate(migrationId, 31 * day);
    expect(await migrations.stateOf(migrationId)).toBe('expired');
    expect(await migrations.getLink(site.browser(), code)).toMatchObject({ state: 'ended' });
    const responses = await Promise.all([1, 2, 3].map(() => migrations.remind([migrationId])));
    expect(responses.reduce((sum, { done }) => sum + done, 0)).toBe(1);
    expect(await migrations.stateOf(migrationId)).toBe('waiting');
    expect((await migrations.mailOf(migrationId))?.subject).toBe('Reminder: Vestibule is moving to Other');
    expect(await queuedMails(migrationId)).toHaveLength(2);
    expect(await migrations.signIn(site.browser(), code)).toBe(homePath);
    expect(await migrations.logOf(id)).toContain('move.reminded by admin');
  });

  test('people whose migration is complete or cancelled, or who are disabled or removed, get no reminder', async () => {
    const done = await createCompleted();
    const disabled = await migrations.create();
    await backdate(disabled.migrationId, 2 * day);
    await site.t.select`update people set status = 'disabled' where id = ${disabled.id}`;
    const undone = await migrations.create();
    await migrations.cancel([undone.migrationId]);
    const removed = '00000000-0000-4000-8000-000000000000';
    const response = await migrations.remind([
      done.migrationId,
      undone.migrationId,
      disabled.migrationId,
      removed,
    ]);
    expect(skipReasons(response).toSorted()).toEqual(['disabled', 'gone', 'isMoved', 'isUndone']);
    for (const { migrationId } of [done, undone, disabled])
      expect(await migrations.mailOf(migrationId)).toBeNull();
  });
});

test('a failed mail is reported, and so is its later delivery', async () => {
  const { migrationId, email } = await migrations.create();
  await migrations.mailTemplate.failed?.(migrationId, '550 No such user', true);
  const mailStatus = async () => (await migrations.list(`search=${email}`)).rows[0];
  expect(await mailStatus()).toMatchObject({ mail: 'failed', mailError: '550 No such user' });
  expect((await counts()).failed).toBe(1);
  await migrations.mailTemplate.sent?.(migrationId);
  expect(await mailStatus()).toMatchObject({ mail: 'sent', mailError: null });
  expect((await counts()).failed).toBe(0);
});

describe('cancelling migrations', () => {
  test('cancelling removes the added identity and its sessions and is logged; the previous method works again', async () => {
    const { id, email, migrationId, old, browser } = await createCompleted();
    expect(await migrations.cancel([migrationId])).toMatchObject({ done: 1, skippedCount: 0 });
    expect(await browser.whoAmI()).toBe('sign_in.needed');
    expect(await old.whoAmI()).toBe(email);
    expect(await migrations.methodsOf(id)).toEqual(['acme']);
    expect(await migrations.logOf(id)).toEqual([
      'move.begun by admin',
      `identity.added by ${email}`,
      `move.done by ${email}`,
      'move.undone by admin',
      'identity.removed by admin',
    ]);
    expect(skipReasons(await migrations.cancel([migrationId]))).toEqual(['isUndone']);
    // The migration can be started again.
    expect(await migrations.start([id])).toMatchObject({ done: 1 });
  });

  test('cancelling keeps the new identity if the person has no other usable identity', async () => {
    const { id, migrationId, browser, email } = await createCompleted();
    await migrations.removePrevious([migrationId]);
    expect(skipReasons(await migrations.cancel([migrationId]))).toEqual(['onlyWay']);
    expect(await migrations.methodsOf(id)).toEqual(['other']);
    expect(await browser.whoAmI()).toBe(email);
    expect(await migrations.stateOf(migrationId)).toBe('moved');
  });
});

describe('removing previous identities', () => {
  test('previous identities and their sessions are removed only for people who have migrated', async () => {
    const done = await createCompleted();
    const pending = await migrations.create();
    const response = await migrations.removePrevious([done.migrationId, pending.migrationId]);
    expect(response).toMatchObject({ done: 1 });
    expect(skipReasons(response)).toEqual(['notMoved']);
    expect(await migrations.methodsOf(done.id)).toEqual(['other']);
    expect(await migrations.methodsOf(pending.id)).toEqual(['acme']);
    expect(await done.old.whoAmI()).toBe('sign_in.needed');
    expect(await done.browser.whoAmI()).toBe(done.email);
    expect(await pending.browser.whoAmI()).toBe(pending.email);
    expect(await migrations.logOf(done.id)).toContain('identity.removed by admin');
    expect(skipReasons(await migrations.removePrevious([done.migrationId]))).toEqual(['nothingToClose']);
  });

  test('a previous identity is not removed if the person has no other usable one, and the new identity is never removed', async () => {
    const { id, migrationId } = await createCompleted();
    expect(skipReasons(await migrations.removePrevious([migrationId], 'other'))).toEqual(['nothingToClose']);
    await site.t.select`update identities set way = 'closed' where person_id = ${id} and way = 'other'`;
    expect(skipReasons(await migrations.removePrevious([migrationId]))).toEqual(['onlyWay']);
    expect(await migrations.methodsOf(id)).toEqual(['acme', 'closed']);
  });

  test('concurrently removing previous identities and cancelling migrations leaves each person one identity', async () => {
    const people = [await createCompleted(), await createCompleted(), await createCompleted()];
    const ids = people.map(({ migrationId }) => migrationId);
    await Promise.all([
      migrations.removePrevious(ids),
      migrations.cancel(ids),
      migrations.removePrevious(ids),
    ]);
    for (const { id } of people) expect(await migrations.methodsOf(id)).toHaveLength(1);
  });
});

test('the count of each state equals the number of rows in the list filtered by that state', async () => {
  const before = await counts();
  const pending = await migrations.create();
  const opened = await migrations.create();
  await migrations.getLink(site.browser(), opened.code);
  const expired = await migrations.create();
  await backdate(expired.migrationId, 31 * day);
  const done = await createCompleted();
  const undone = await migrations.create();
  await migrations.cancel([undone.migrationId]);
  const after = await counts();
  const increases = (['waiting', 'opened', 'expired', 'moved', 'undone', 'lacking'] as const).map(
    (name) => after[name] - before[name],
  );
  // A person whose migration was cancelled lacks the method again.
  expect(increases).toEqual([1, 1, 1, 1, 1, 1]);
  const findAcme = ({ oldWays }: typeof after) => oldWays.find(({ way }) => way === 'acme');
  expect(findAcme(after)).toEqual({ way: 'acme', name: 'Acme', people: (findAcme(before)?.people ?? 0) + 1 });
  for (const [state, { migrationId }] of Object.entries({
    waiting: pending,
    opened,
    expired,
    moved: done,
    undone,
  })) {
    const filters = JSON.stringify([
      { column: 'group', is: 'oneOf', values: [state] },
      { column: 'way', is: 'oneOf', values: ['other'] },
    ]);
    const { rows, total } = await migrations.list(`limit=500&filters=${encodeURIComponent(filters)}`);
    expect(rows.map(({ id }) => id)).toContain(migrationId);
    expect(new Set(rows.map((row) => row.state))).toEqual(new Set([state]));
    expect(total).toBe(after[state as 'moved']);
  }
});
