/** Reset sign-in: the way out for whoever lost their passkeys (statement M7). */
import { listPasskeysOf, resetSignIn, undoResetSignIn } from '@vestibule/contract/people/sign-in-reset';
import { removePerson } from '@vestibule/contract/people';
import { requestCode } from '@vestibule/contract/sign-in/codes';
import { addPasskey, startPasskey } from '@vestibule/contract/sign-in/passkeys';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestPerson } from '../../../test/test-app.ts';
import { createTestAuthenticator } from '../../../test/test-authenticator.ts';
import { postAs, createPasskeySite, type PasskeySite } from '../../../test/test-passkey-site.ts';
import { waitingForLocks } from '../../../test/test-faults.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { lockPeople } from '../identities/identity-store.ts';
import { applyDueResets } from './reset.ts';
import { signInResetMailName } from './passkey-mail.ts';

let site: PasskeySite;
let t: PasskeySite['t'];
let admin: TestPerson;
beforeAll(async () => {
  site = await createPasskeySite();
  ({ t } = site);
  admin = await t.join('admin@example.com', 'admin');
});
afterAll(() => site.close());

const as = (personId: string) => ({ token: admin.token, params: { personId } });
const due = async () => {
  await applyDueResets({ ...t, now: t.clock.now });
  // What comes then comes later.
  t.clock.advance(1);
};
const minutes = (count: number) => t.clock.advance(count * 60_000);
const home = '/layout/dashboard';

test('takes effect after five minutes: passkeys and sessions go, and a mail leads to a new passkey', async () => {
  const { id, email, device, browser } = await site.join();
  const { body } = await t.call(resetSignIn, as(id));
  expect(body).toEqual({
    takesEffectAt: new Date(t.clock.now() + 300_000).toISOString(),
    by: admin.email,
    byName: expect.stringMatching(/./) as string,
  });
  expect((await t.call(listPasskeysOf, as(id))).body).toMatchObject({
    has: true,
    reset: body,
    rows: [{ name: 'Firefox' }],
  });
  minutes(4);
  await due();
  expect(await site.signIn(site.browser(), device)).toBe(home);
  expect(await browser.whoAmI()).toBe(email);
  minutes(1);
  await due();
  expect(await site.signIn(site.browser(), device)).toBe('passkey.unknown');
  expect(await browser.whoAmI()).toBe('sign_in.needed');
  expect((await t.call(listPasskeysOf, as(id))).body).toEqual({ has: true, reset: null, rows: [] });
  const mail = await t.mailTemplates[signInResetMailName]?.write(id);
  expect(mail?.to.address).toBe(email);
  // Whoever has the link has nothing: a code goes to the same mailbox.
  expect(mail?.text).toContain(
    `https://portal.example.com/login?sign-in=again&address=${encodeURIComponent(email)}`,
  );
  const queued = await t.select(
    `select from jobs.job where data->>'template' = $1 and data->>'subjectId' = $2`,
    [signInResetMailName, id],
  );
  expect(queued).toHaveLength(1);
  const page = site.browser();
  expect((await site.enterCode(page, { address: email })).body.next).toBe('offer-passkey');
  const logged = await t.select(
    `select action, actor_label from audit_log where target_id = $1 and action like 'person.%' order by id`,
    [id],
  );
  expect(logged).toEqual([
    { action: 'person.sign_in_reset', actor_label: admin.email },
    expect.objectContaining({ action: 'person.passkeys_removed' }),
  ]);
});

test('takes effect on wrong guesses too: the code that the mail leads to works', async () => {
  const { id, email } = await site.join();
  await t.select(`insert into rate_limits values ('guessed codes:' || $1, 9, $2)`, [
    email,
    new Date(t.clock.now() + 86_400_000),
  ]);
  expect((await site.enterCode(site.browser(), { address: email })).body.code).toBe('sign_in.code_guessed');
  await t.call(resetSignIn, as(id));
  minutes(5);
  await due();
  expect((await site.enterCode(site.browser(), { address: email })).status).toBe(200);
});

test('no code that was mailed before, or entered, outlasts it', async () => {
  const { id, email } = await site.join();
  const [entering, waiting] = [site.browser(), site.browser()];
  await t.call(resetSignIn, as(id));
  minutes(4);
  let attempt = '';
  await site.having({ passkeyRequired: 'everybody' }, async () => {
    const entered = await site.enterCode(entering, { address: email });
    expect(entered.body).toMatchObject({ next: 'passkey-required' });
    ({ attempt } = entered);
  });
  const { body: mailed } = await postAs(waiting, requestCode, { address: email });
  const code = (await site.codeOf(mailed.attempt)) as string;
  minutes(1);
  await due();
  expect(await site.makeFirst(entering, createTestAuthenticator(), { attempt })).toBe('sign_in.expired');
  expect((await site.prove(waiting, mailed.attempt, code)).body.code).toBe('sign_in.expired');
  expect(await t.select('select from passkeys where person_id = $1', [id])).toEqual([]);
  for (const browser of [entering, waiting]) expect(await browser.whoAmI()).toBe('sign_in.needed');
  expect((await site.enterCode(waiting, { address: email })).status).toBe(200);
});

test('is undone in time, and not after', async () => {
  const { id, device } = await site.join();
  await t.call(resetSignIn, as(id));
  minutes(4);
  expect((await t.call(undoResetSignIn, as(id))).body).toEqual({ id });
  minutes(2);
  await due();
  expect(await site.signIn(site.browser(), device)).toBe(home);
  expect((await t.call(undoResetSignIn, as(id))).body.code).toBe('sign_in_reset.over');
  await t.call(resetSignIn, as(id));
  minutes(5);
  expect((await t.call(undoResetSignIn, as(id))).body.code).toBe('sign_in_reset.over');
  await due();
  expect(await site.signIn(site.browser(), device)).toBe('passkey.unknown');
});

test('pressed twice, it is the first that counts, and it stands in the log once', async () => {
  const { id } = await site.join();
  // Held back until both have read that there is none: the second waits for the first.
  const { answers } = await t.database.transaction(async (transaction) => {
    await transaction.query({
      text: `insert into sign_in_resets (person_id, asked_by, takes_effect_at) values ($1, 'nobody', now())`,
      values: [id],
    });
    const both = Promise.all([t.call(resetSignIn, as(id)), t.call(resetSignIn, as(id))]);
    await waitingForLocks(t, 2);
    await transaction.query({ text: 'delete from sign_in_resets where person_id = $1', values: [id] });
    return { answers: both };
  });
  const [first, other] = (await answers).map(({ body }) => body);
  expect(first).toEqual({
    takesEffectAt: expect.any(String) as string,
    by: admin.email,
    byName: expect.stringMatching(/./) as string,
  });
  expect(other).toEqual(first);
  minutes(1);
  const both = await Promise.all([t.call(resetSignIn, as(id)), t.call(resetSignIn, as(id))]);
  expect(both.map(({ body }) => body)).toEqual([first, first]);
  const rows = await t.select(
    `select from audit_log where target_id = $1 and action = 'person.sign_in_reset'`,
    [id],
  );
  expect(rows).toHaveLength(1);
});

test('is done once by several processes, and for many at once', async () => {
  const people = await Promise.all([1, 2, 3].map(() => site.join()));
  for (const { id } of people) await t.call(resetSignIn, as(id));
  minutes(5);
  await Promise.all([due(), due(), due()]);
  for (const { id } of people)
    expect(
      await t.select(`select from audit_log where target_id = $1 and action = 'person.passkeys_removed'`, [
        id,
      ]),
    ).toHaveLength(1);
});

test('of somebody who has neither passkeys nor codes there is nothing to reset; of whoever is gone neither', async () => {
  expect((await t.call(resetSignIn, as(admin.id))).body.code).toBe('sign_in_reset.nothing');
  expect((await t.call(listPasskeysOf, as(admin.id))).body.has).toBe(false);
  const { id } = await site.join();
  await t.call(resetSignIn, as(id));
  await t.call(removePerson, { ...as(id), query: { handOverTo: admin.email } });
  minutes(5);
  await due();
  expect((await t.call(resetSignIn, as(id))).body.code).toBe('person.not_found');
});

test('makes a stolen passkey worthless although the person still has it', () =>
  site.having({ passkeyRequired: 'everybody' }, async () => {
    const { id, email, device } = await site.join();
    await t.call(resetSignIn, as(id));
    minutes(5);
    await due();
    const page = site.browser();
    const { attempt, body } = await site.enterCode(page, { address: email });
    expect(body.next).toBe('passkey-required');
    expect(await site.makeFirst(page, device, { attempt })).toBe(home);
    expect(await site.signIn(site.browser(), device)).toBe(home);
  }));

describe('at the moment in which', () => {
  /** Lets something begin and wait for the person, does something else within, and gives what the first came to. */
  async function meanwhile<Result>(
    id: string,
    begin: () => Promise<Result>,
    act: (transaction: Queryable) => Promise<unknown>,
  ): Promise<Result> {
    const { first } = await t.database.transaction(async (transaction) => {
      await lockPeople(transaction, [id]);
      const waiting = begin();
      await waitingForLocks(t, 1);
      await act(transaction);
      return { first: waiting };
    });
    return first;
  }
  const dueWithin = (transaction: Queryable) =>
    applyDueResets({
      database: { ...t.database, transaction: (work) => work(transaction) },
      mail: t.mail,
      now: t.clock.now,
    });
  const passkeysOf = (id: string) => t.select('select from passkeys where person_id = $1', [id]);

  async function aboutToBeReset() {
    const person = await site.join();
    await t.call(resetSignIn, as(person.id));
    minutes(5);
    return person;
  }

  test('a passkey is added, that one goes as well, and nobody waits for each other in a circle', async () => {
    const { id } = await aboutToBeReset();
    await meanwhile(id, due, async (transaction) => {
      await transaction.query({
        text: `insert into passkeys select 'another of ' || person_id, gen_random_uuid(), person_id, public_key, counter, rp_id, transports,
                 aaguid, name, is_backup_eligible, is_backed_up, created_at, last_used_at from passkeys where person_id = $1`,
        values: [id],
      });
      await transaction.query({
        text: `update passkeys set name = 'Renamed' where person_id = $1`,
        values: [id],
      });
    });
    expect(await passkeysOf(id)).toEqual([]);
  });

  test('somebody signs in, they are not inside afterwards', async () => {
    const { id, device } = await aboutToBeReset();
    const page = site.browser();
    expect(await meanwhile(id, () => site.signIn(page, device), dueWithin)).toBe('sign_in.expired');
    expect(await page.whoAmI()).toBe('sign_in.needed');
  });

  test('somebody who is inside adds a passkey, it is not kept', async () => {
    const { id, browser } = await aboutToBeReset();
    const { attempt, options } = (await postAs(browser, startPasskey)).body;
    const response = createTestAuthenticator().create(options);
    const added = await meanwhile(id, () => postAs(browser, addPasskey, { attempt, response }), dueWithin);
    expect(added.body.code).toBe('sign_in.expired');
    expect(await passkeysOf(id)).toEqual([]);
  });
});
