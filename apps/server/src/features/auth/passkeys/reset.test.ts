import {
  allowCodes,
  listPasskeysOf,
  resetSignIn,
  undoResetSignIn,
} from '@vestibule/contract/people/sign-in-reset';
import { removePerson } from '@vestibule/contract/people';
import { requestCode } from '@vestibule/contract/sign-in/codes';
import { expect, test } from 'vitest';
import { wrongCode } from '../../../test/sign-in/test-browser.ts';
import { createTestAuthenticator } from '../../../test/sign-in/test-authenticator.ts';
import { postAs, setUpPasskeySite } from '../../../test/sign-in/test-passkey-site.ts';
import { applyDueResets } from './reset.ts';
import { signInResetMailName } from './passkey-changes.ts';

const site = await setUpPasskeySite();
const { t } = site;
const admin = await t.join('admin@example.com', 'admin');

const callFor = (personId: string) => ({ token: admin.token, params: { personId } });
const applyDue = async () => {
  await applyDueResets({ ...t, now: t.clock.now });
  t.clock.advance(1);
};
const advanceMinutes = (count: number) => t.clock.advance(count * 60_000);
const home = '/layout/dashboard';

test('a reset deletes passkeys and sessions after five minutes and mails instructions', async () => {
  const { id, email, device, browser } = await site.join();
  const { body } = await t.call(resetSignIn, callFor(id));
  expect(body).toEqual({
    takesEffectAt: new Date(t.clock.now() + 300_000).toISOString(),
    by: admin.email,
    byName: expect.stringMatching(/./) as string,
  });
  expect((await t.call(listPasskeysOf, callFor(id))).body).toMatchObject({
    has: true,
    reset: body,
    rows: [{ name: 'Firefox' }],
  });
  advanceMinutes(4);
  await applyDue();
  expect(await site.signIn(site.browser(), device)).toBe(home);
  expect(await browser.whoAmI()).toBe(email);
  advanceMinutes(1);
  await applyDue();
  expect(await site.signIn(site.browser(), device)).toBe('passkey.unknown');
  expect(await browser.whoAmI()).toBe('sign_in.needed');
  expect((await t.call(listPasskeysOf, callFor(id))).body).toEqual({
    has: true,
    reset: null,
    rows: [],
    codesBlocked: false,
  });
  const mail = await t.mailTemplates[signInResetMailName]?.write(id);
  expect(mail?.to.address).toBe(email);
  expect(mail?.text).toContain(
    `https://portal.example.com/login?sign-in=again&address=${encodeURIComponent(email)}`,
  );
  const queued = await t.select`
    select from jobs.job where data->>'template' = ${signInResetMailName} and data->>'subjectId' = ${id}`;
  expect(queued).toHaveLength(1);
  const page = site.browser();
  expect((await site.enterCode(page, { address: email })).body.next).toBe('offer-passkey');
  expect(await t.auditOf(id, 'person.')).toMatchObject([
    { action: 'person.sign_in_reset', actor_label: admin.email },
    { action: 'person.passkeys_removed' },
  ]);
});

test('a reset clears the count of wrong guesses, so that the code in its mail works', async () => {
  const { id, email } = await site.join();
  await t.select`
    insert into rate_limits values ('guessed codes:' || ${email}, 9, ${new Date(t.clock.now() + 86_400_000)})`;
  expect((await site.enterCode(site.browser(), { address: email })).body.code).toBe('sign_in.code_guessed');
  await t.call(resetSignIn, callFor(id));
  advanceMinutes(5);
  await applyDue();
  expect((await site.enterCode(site.browser(), { address: email })).status).toBe(200);
});

test('a reset invalidates codes that were mailed or entered before it', async () => {
  const { id, email } = await site.join();
  const [enteredBrowser, mailedBrowser] = [site.browser(), site.browser()];
  await t.call(resetSignIn, callFor(id));
  advanceMinutes(4);
  let attempt = '';
  await site.withSettings({ passkeyRequired: 'everybody' }, async () => {
    const entered = await site.enterCode(enteredBrowser, { address: email });
    expect(entered.body).toMatchObject({ next: 'passkey-required' });
    ({ attempt } = entered);
  });
  const { body: mailed } = await postAs(mailedBrowser, requestCode, { address: email });
  const code = (await site.codeOf(mailed.attempt)) as string;
  advanceMinutes(1);
  await applyDue();
  expect(await site.createFirst(enteredBrowser, createTestAuthenticator(), { attempt })).toBe(
    'sign_in.expired',
  );
  expect((await site.submitCode(mailedBrowser, mailed.attempt, code)).body.code).toBe('sign_in.expired');
  expect(await t.select`select from passkeys where person_id = ${id}`).toEqual([]);
  for (const browser of [enteredBrowser, mailedBrowser])
    expect(await browser.whoAmI()).toBe('sign_in.needed');
  expect((await site.enterCode(mailedBrowser, { address: email })).status).toBe(200);
});

test('a reset can be undone until it takes effect', async () => {
  const { id, device } = await site.join();
  await t.call(resetSignIn, callFor(id));
  advanceMinutes(4);
  expect((await t.call(undoResetSignIn, callFor(id))).body).toEqual({ id });
  advanceMinutes(2);
  await applyDue();
  expect(await site.signIn(site.browser(), device)).toBe(home);
  expect((await t.call(undoResetSignIn, callFor(id))).body.code).toBe('sign_in_reset.over');
  await t.call(resetSignIn, callFor(id));
  advanceMinutes(5);
  expect((await t.call(undoResetSignIn, callFor(id))).body.code).toBe('sign_in_reset.over');
  await applyDue();
  expect(await site.signIn(site.browser(), device)).toBe('passkey.unknown');
});

test('administrators lift the limits of wrong and requested codes of a person, who keeps passkeys and sessions', async () => {
  const { id, email, device, browser } = await site.join();
  const areBlocked = async () => (await t.call(listPasskeysOf, callFor(id))).body.codesBlocked;
  const page = site.browser();
  const request = async () => (await postAs(page, requestCode, { address: email })).body;
  for (const guesses of [5, 4]) {
    const { attempt } = await request();
    const wrong = wrongCode((await site.codeOf(attempt)) as string);
    expect(await areBlocked()).toBe(false);
    for (let guess = 0; guess < guesses; guess += 1) await site.submitCode(page, attempt, wrong);
  }
  expect(await areBlocked()).toBe(true);
  for (let requests = 2; requests < 5; requests += 1) await request();
  expect((await request()).code).toBe('sign_in.codes_asked');
  expect((await t.call(allowCodes, callFor(id))).body).toEqual({ id });
  expect(await areBlocked()).toBe(false);
  expect((await site.enterCode(site.browser(), { address: email })).status).toBe(200);
  expect(await site.signIn(site.browser(), device)).toBe(home);
  expect(await browser.whoAmI()).toBe(email);
  expect(
    await t.select`
      select actor_label from audit_log where action = 'person.codes_allowed' and target_id = ${id}`,
  ).toEqual([{ actor_label: admin.email }]);
});

test('a reset is refused for people who have neither passkeys nor sign-in by code, and for removed people', async () => {
  expect((await t.call(resetSignIn, callFor(admin.id))).body.code).toBe('sign_in_reset.nothing');
  expect((await t.call(listPasskeysOf, callFor(admin.id))).body.has).toBe(false);
  const { id } = await site.join();
  await t.call(resetSignIn, callFor(id));
  await t.call(removePerson, { ...callFor(id), query: { handOverTo: admin.email } });
  advanceMinutes(5);
  await applyDue();
  expect((await t.call(resetSignIn, callFor(id))).body.code).toBe('person.not_found');
});
