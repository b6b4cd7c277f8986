/** Administrators move people to another way to sign in (statement M5; security 60) */
import {
  countMigrations,
  startMigrations,
  previewMigrationMail,
  remindMigrations,
} from '@vestibule/contract/identity-migrations';
import type { RouteResult } from '@vestibule/contract/route';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { whileRemoving } from '../../../test/test-faults.ts';
import { createTestOidcSite, homePath, type TestOidcSite } from '../../../test/test-oidc-site.ts';
import { resetProviders, createTestMigrations } from './test-migrations.ts';

let site: TestOidcSite;
let moves: Awaited<ReturnType<typeof createTestMigrations>>;
beforeAll(async () => {
  site = await createTestOidcSite();
  moves = await createTestMigrations(site);
});
beforeEach(() => resetProviders(site));
afterAll(() => site.close());

const day = 24 * 3_600_000;
const reasons = (answer: { skipped: { label: string; reasonText: { code: string } }[] }) =>
  answer.skipped.map(({ reasonText }) => reasonText.code.replace('move_skipped.', ''));
const queuedMails = (moveId: string) =>
  site.t.select(`select from jobs.job where name = 'mail' and data->>'subjectId' = $1`, [moveId]);
/** As if the link had been mailed so long ago. */
const older = (moveId: string, milliseconds: number) =>
  site.t.select(
    `update moves set made_at = made_at - $2 * interval '1 ms', reminded_at = reminded_at - $2 * interval '1 ms',
       expires_at = expires_at - $2 * interval '1 ms' where id = $1`,
    [moveId, milliseconds],
  );
/** Somebody who has moved from `acme` to `other`. */
async function moved() {
  const asked = await moves.asked();
  const browser = site.browser();
  expect(await moves.go(browser, asked.code)).toBe(homePath);
  return { ...asked, old: asked.browser, browser };
}
const counts = async () =>
  (await moves.admin.browser.ask('GET', `${countMigrations.path}?way=other`)).json<
    RouteResult<typeof countMigrations>
  >();

describe('who is asked to move', () => {
  test('gets a mail with a link of their own, in their language, and is in the list and the log', async () => {
    const { id, email } = await site.join();
    await site.t.select(`update people set language = 'de' where id = $1`, [id]);
    expect(await moves.begin([id])).toMatchObject({ done: 1, skippedCount: 0, rest: null });
    const moveId = await moves.moveOf(id);
    expect(await queuedMails(moveId)).toHaveLength(1);
    const mail = await moves.mailOf(moveId);
    expect(mail).toMatchObject({
      to: { address: email },
      subject: 'Vestibule: Melden Sie sich künftig mit Other an',
    });
    expect(mail?.text).toMatch(/https:\/\/portal\.example\.com\/move\?m=[1-9A-Za-z]{22}\s/);
    const { rows } = await moves.list(`search=${email}`);
    expect(rows).toMatchObject([
      {
        id: moveId,
        personId: id,
        email,
        way: 'other',
        wayName: 'Other',
        state: 'waiting',
        mail: 'queued',
        mailError: null,
        madeBy: moves.admin.email,
        remindedAt: null,
        otherWays: ['Acme'],
      },
    ]);
    expect(await moves.logOf(id)).toEqual(['move.begun by admin']);
  });

  test('is everybody who can: whoever has the way, a link, no access or is gone is left out, and why', async () => {
    const [plain, disabled] = [await site.join(), await site.join()];
    const [has, asked] = [await moved(), await moves.asked()];
    await site.t.select(`update people set status = 'disabled' where id = $1`, [disabled.id]);
    const gone = '00000000-0000-4000-8000-000000000000';
    const answer = await moves.begin([plain.id, has.id, asked.id, disabled.id, gone]);
    expect(answer).toMatchObject({ done: 1, skippedCount: 4 });
    expect(reasons(answer).toSorted()).toEqual(['disabled', 'gone', 'hasLink', 'hasWay']);
    expect(answer.skipped.find(({ id }) => id === has.id)?.person).toEqual({
      id: has.id,
      name: expect.stringMatching(/./),
      email: has.email,
    });
    expect(reasons(await moves.begin([plain.id], 'acme'))).toEqual(['hasWay']);
  });

  test('has one link, however many administrators ask at once', async () => {
    const people = [await site.join(), await site.join(), await site.join()];
    const ids = people.map(({ id }) => id);
    const answers = await Promise.all([1, 2, 3, 4].map(() => moves.begin(ids)));
    expect(answers.reduce((sum, { done }) => sum + done, 0)).toBe(3);
    for (const id of ids)
      expect(await site.t.select('select from moves where person_id = $1', [id])).toHaveLength(1);
  });

  test('is not whoever is being removed at that moment, and the others are', async () => {
    const [gone, here] = [await site.join(), await site.join()];
    const asked = await whileRemoving(site.t, gone.id, () => moves.begin([gone.id, here.id]));
    expect(asked).toMatchObject({ done: 1, skippedCount: 1 });
    expect(await moves.moveOf(here.id)).toEqual(expect.any(String));
  });

  test('is chosen among all who match, as people are listed', async () => {
    const { id, email } = await site.join();
    const answer = await moves.admin.browser.ask('POST', startMigrations.path, {
      body: { way: 'other', selection: { all: { search: email, total: 1 } } },
    });
    expect(answer.json()).toMatchObject({ done: 1, rest: null });
    expect(await moves.moveOf(id)).toBeDefined();
  });

  test('is not asked to a way that there is none of, or that the server does not lead to', async () => {
    for (const way of ['b2c', 'nowhere']) {
      const answer = await moves.admin.browser.ask('POST', startMigrations.path, {
        body: { way, selection: { ids: [moves.admin.id] } },
      });
      expect(answer.json()).toMatchObject({ code: 'sign_in.way_unknown' });
    }
  });

  test('is not asked where no mails are sent', async () => {
    const quiet = await createTestOidcSite({ environment: { SMTP_URL: 'off' } });
    const admin = await quiet.join('admin');
    Object.defineProperty(quiet.t.mail, 'sends', { value: false });
    for (const [path, body] of [
      [startMigrations.path, { way: 'other', selection: { ids: [admin.id] } }],
      [remindMigrations.path, { selection: { ids: [admin.id] } }],
    ] as const)
      expect((await admin.browser.ask('POST', path, { body })).json()).toMatchObject({
        code: 'move.no_mail',
      });
    await quiet.close();
  });
});

test('the mail is shown before it is sent, and its link opens nothing', async () => {
  const answer = await moves.admin.browser.ask(
    'GET',
    `${previewMigrationMail.path}?way=other&language=en&scheme=dark`,
  );
  const mail = answer.json<RouteResult<typeof previewMigrationMail>>();
  expect(mail.subject).toBe('Vestibule: sign in with Other from now on');
  expect(mail.text).toContain('/move?m=EXAMPLE');
  expect(await moves.look(site.browser(), 'EXAMPLE')).toMatchObject({ state: 'ended' });
});

describe('a reminder', () => {
  test('is mailed at most once a day each, and the link works for another 30 days', async () => {
    const { id, moveId, code } = await moves.asked();
    const again = await moves.remind([moveId]);
    expect(reasons(again)).toEqual(['justMailed']);
    expect(again.skipped[0]?.person?.name).toMatch(/./);
    await older(moveId, 31 * day);
    expect(await moves.stateOf(moveId)).toBe('expired');
    expect(await moves.look(site.browser(), code)).toMatchObject({ state: 'ended' });
    const answers = await Promise.all([1, 2, 3].map(() => moves.remind([moveId])));
    expect(answers.reduce((sum, { done }) => sum + done, 0)).toBe(1);
    expect(await moves.stateOf(moveId)).toBe('waiting');
    expect((await moves.mailOf(moveId))?.subject).toBe('Reminder: Vestibule is moving to Other');
    expect(await queuedMails(moveId)).toHaveLength(2);
    expect(await moves.go(site.browser(), code)).toBe(homePath);
    expect(await moves.logOf(id)).toContain('move.reminded by admin');
  });

  test('goes to nobody who has moved, was called off, is disabled or is gone', async () => {
    const done = await moved();
    const disabled = await moves.asked();
    await older(disabled.moveId, 2 * day);
    await site.t.select(`update people set status = 'disabled' where id = $1`, [disabled.id]);
    const undone = await moves.asked();
    await moves.undo([undone.moveId]);
    const gone = '00000000-0000-4000-8000-000000000000';
    const answer = await moves.remind([done.moveId, undone.moveId, disabled.moveId, gone]);
    expect(reasons(answer).toSorted()).toEqual(['disabled', 'gone', 'isMoved', 'isUndone']);
    for (const { moveId } of [done, undone, disabled]) expect(await moves.mailOf(moveId)).toBeNull();
  });
});

test('a mail that cannot be delivered is told, and one that was sent after all', async () => {
  const { moveId, email } = await moves.asked();
  await moves.mails.failed(moveId, '550 No such user', true);
  const told = async () => (await moves.list(`search=${email}`)).rows[0];
  expect(await told()).toMatchObject({ mail: 'failed', mailError: '550 No such user' });
  expect((await counts()).failed).toBe(1);
  await moves.mails.sent(moveId);
  expect(await told()).toMatchObject({ mail: 'sent', mailError: null });
  expect((await counts()).failed).toBe(0);
});

describe('calling a move off', () => {
  test('takes away what it added, with its sessions, in the log and by mail; the old way works', async () => {
    const { id, email, moveId, old, browser } = await moved();
    expect(await moves.undo([moveId])).toMatchObject({ done: 1, skippedCount: 0 });
    expect(await browser.whoAmI()).toBe('sign_in.needed');
    expect(await old.whoAmI()).toBe(email);
    expect(await moves.waysOf(id)).toEqual(['acme']);
    expect(await moves.logOf(id)).toEqual([
      'move.begun by admin',
      `identity.added by ${email}`,
      `move.done by ${email}`,
      'move.undone by admin',
      'identity.removed by admin',
    ]);
    expect(reasons(await moves.undo([moveId]))).toEqual(['isUndone']);
    // They can be asked again, and to the same account.
    expect(await moves.begin([id])).toMatchObject({ done: 1 });
  });

  test('leaves the new way of whoever has no other that works', async () => {
    const { id, moveId, browser, email } = await moved();
    await moves.close([moveId]);
    expect(reasons(await moves.undo([moveId]))).toEqual(['onlyWay']);
    expect(await moves.waysOf(id)).toEqual(['other']);
    expect(await browser.whoAmI()).toBe(email);
    expect(await moves.stateOf(moveId)).toBe('moved');
  });
});

describe('closing the old way', () => {
  test('takes it away from exactly those who have moved, and ends its sessions', async () => {
    const done = await moved();
    const asked = await moves.asked();
    const answer = await moves.close([done.moveId, asked.moveId]);
    expect(answer).toMatchObject({ done: 1 });
    expect(reasons(answer)).toEqual(['notMoved']);
    expect(await moves.waysOf(done.id)).toEqual(['other']);
    expect(await moves.waysOf(asked.id)).toEqual(['acme']);
    expect(await done.old.whoAmI()).toBe('sign_in.needed');
    expect(await done.browser.whoAmI()).toBe(done.email);
    expect(await asked.browser.whoAmI()).toBe(asked.email);
    expect(await moves.logOf(done.id)).toContain('identity.removed by admin');
    expect(reasons(await moves.close([done.moveId]))).toEqual(['nothingToClose']);
  });

  test('leaves it to whoever has no other that works, and never takes the new one', async () => {
    const { id, moveId } = await moved();
    expect(reasons(await moves.close([moveId], 'other'))).toEqual(['nothingToClose']);
    await site.t.select(`update identities set way = 'closed' where person_id = $1 and way = 'other'`, [id]);
    expect(reasons(await moves.close([moveId]))).toEqual(['onlyWay']);
    expect(await moves.waysOf(id)).toEqual(['acme', 'closed']);
  });

  test('beside calling the same moves off leaves nobody without a way', async () => {
    const people = [await moved(), await moved(), await moved()];
    const ids = people.map(({ moveId }) => moveId);
    await Promise.all([moves.close(ids), moves.undo(ids), moves.close(ids)]);
    for (const { id } of people) expect(await moves.waysOf(id)).toHaveLength(1);
  });
});

test('the counts say how it stands, and the list finds each state', async () => {
  const before = await counts();
  const waiting = await moves.asked();
  const opened = await moves.asked();
  await moves.look(site.browser(), opened.code);
  const expired = await moves.asked();
  await older(expired.moveId, 31 * day);
  const done = await moved();
  const undone = await moves.asked();
  await moves.undo([undone.moveId]);
  const after = await counts();
  const grown = (['waiting', 'opened', 'expired', 'moved', 'undone', 'lacking'] as const).map(
    (name) => after[name] - before[name],
  );
  // Whoever was called off lacks the way again.
  expect(grown).toEqual([1, 1, 1, 1, 1, 1]);
  const acme = ({ oldWays }: typeof after) => oldWays.find(({ way }) => way === 'acme');
  expect(acme(after)).toEqual({ way: 'acme', name: 'Acme', people: (acme(before)?.people ?? 0) + 1 });
  for (const [state, { moveId }] of Object.entries({ waiting, opened, expired, moved: done, undone })) {
    const filters = JSON.stringify([
      { column: 'state', is: 'oneOf', values: [state] },
      { column: 'way', is: 'oneOf', values: ['other'] },
    ]);
    const { rows, total } = await moves.list(`limit=500&filters=${encodeURIComponent(filters)}`);
    expect(rows.map(({ id }) => id)).toContain(moveId);
    expect(new Set(rows.map((row) => row.state))).toEqual(new Set([state]));
    expect(total).toBe(after[state as 'moved']);
  }
});
