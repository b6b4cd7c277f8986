/** Reset sign-in: the way out for whoever lost their passkeys (statement M7). */
import { listPasskeysOf, resetSignIn, undoResetSignIn } from '@vestibule/contract/people/sign-in-reset';
import { removePerson } from '@vestibule/contract/people';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestPerson } from '../../../test/test-app.ts';
import { createPasskeySite, type PasskeySite } from '../../../test/test-passkey-site.ts';
import { takeEffect } from './reset.ts';
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
const due = () => takeEffect({ ...t, now: t.clock.now });
const minutes = (count: number) => t.clock.advance(count * 60_000);
const home = '/layout/dashboard';

test('takes effect after five minutes: passkeys and sessions go, and a mail leads to a new passkey', async () => {
  const { id, email, device, browser } = await site.join();
  const { body } = await t.call(resetSignIn, as(id));
  expect(body).toEqual({ takesEffectAt: new Date(t.clock.now() + 300_000).toISOString(), by: admin.email });
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
  const first = (await t.call(resetSignIn, as(id))).body;
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
