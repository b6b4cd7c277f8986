/** How often codes are asked for and guessed, and that nobody is kept out by others who do (statement M7, security 63). */
import { verifyEmail } from '@vestibule/contract/sign-in';
import { requestCode } from '@vestibule/contract/sign-in/codes';
import { startFirstPasskey } from '@vestibule/contract/sign-in/passkeys';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestApp } from '../../../test/test-app.ts';
import { createTestBrowser, type TestBrowser } from '../../../test/test-browser.ts';
import { postAs, createPasskeySite, type PasskeySite } from '../../../test/test-passkey-site.ts';

let site: PasskeySite;
let t: PasskeySite['t'];
beforeAll(async () => {
  site = await createPasskeySite();
  ({ t } = site);
});
afterAll(() => site.close());

const ask = async (page: TestBrowser, body: object) => (await postAs(page, requestCode, body)).body;
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

test('a code is asked for five times an hour for an address, from however many networks and processes', async () => {
  const { email } = await site.join();
  const beside = await createTestApp({ beside: t, environment: { SIGN_IN_WITH: 'passkeys,b2c' } });
  const asked = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      postAs(createTestBrowser(index % 2 === 0 ? t : beside), requestCode, { address: email }),
    ),
  );
  expect(asked.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(asked.filter(({ body }) => body.code === 'sign_in.codes_asked')).toHaveLength(19);
  t.clock.advance(3_600_000);
  expect((await postAs(site.browser(), requestCode, { address: email })).status).toBe(200);
  await beside.close();
});

test('a code is asked for thirty times an hour by a network', async () => {
  const page = site.browser();
  const problems: string[] = [];
  for (let index = 0; index < 31; index += 1)
    problems.push((await ask(page, { address: `network-${index}@example.com` })).code);
  expect(problems.filter((code) => code === undefined)).toHaveLength(30);
  expect(problems.at(-1)).toBe('request.too_many');
});

test('a code is asked for with ten wrong links of invitations a minute by a network', async () => {
  const { code: invitation } = await t.invitationTo(site.newAddress());
  const page = site.browser();
  const problems = await Promise.all(
    Array.from({ length: 14 }, async () => (await ask(page, { invitation: 'wrong' })).code),
  );
  expect(problems.filter((code) => code === 'person.invitation_expired')).toHaveLength(10);
  expect((await ask(page, { invitation })).code).toBe('request.too_many');
  expect((await postAs(page, startFirstPasskey, { invitation })).body.code).toBe('request.too_many');
  expect((await postAs(site.browser(), requestCode, { invitation })).status).toBe(200);
});

test('a code is guessed from 1,000 addresses at once by nobody: nine guesses a day, whoever guesses (security 63)', async () => {
  const { email } = await site.join();
  const page = site.browser();
  let guessed = 0;
  for (let hour = 0; hour < 3; hour += 1) {
    for (let asked = 0; asked < 5; asked += 1) {
      const { attempt } = await ask(page, { address: email });
      const code = (await site.codeOf(attempt)) as string;
      const tries = await Promise.all(
        Array.from({ length: 67 }, (_, index) =>
          t.app.inject({
            method: 'POST',
            url: '/api/sign-in/proof',
            remoteAddress: `10.9.${hour * 5 + asked}.${index}`,
            headers: {
              'sec-fetch-site': 'same-origin',
              cookie: [...page.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
            },
            payload: { attempt, code: wrong(code) },
          }),
        ),
      );
      guessed += tries.filter(
        (answer) => answer.json<{ code: string }>().code === 'sign_in.code_wrong',
      ).length;
    }
    t.clock.advance(3_600_000);
  }
  expect(guessed).toBe(9);
  expect(guessed / 1_000_000).toBeLessThan(1 / 100_000);
});

test('a code that others have guessed away for the day: the link of the mail opens all the same, in the browser that asked', async () => {
  const { email } = await site.join();
  const others = site.browser();
  for (const guesses of [5, 4]) {
    const { attempt } = await ask(others, { address: email });
    const code = (await site.codeOf(attempt)) as string;
    for (let guess = 0; guess < guesses; guess += 1)
      expect((await site.prove(others, attempt, wrong(code))).body.code).toBe('sign_in.code_wrong');
  }
  const page = site.browser();
  const { attempt } = await ask(page, { address: email });
  const [, code = '', key = ''] = /#(\d{6})(\S+)/.exec((await site.mailOf(attempt))?.text ?? '') ?? [];
  const open = (browser: TestBrowser, opened: string) =>
    browser.ask('POST', verifyEmail.path, { body: { attempt, code, key: opened } });
  for (const opened of ['', 'x'.repeat(key.length)]) {
    const refused = await open(page, opened);
    expect([refused.json<{ code: string }>().code, Number(refused.headers['retry-after'])]).toEqual([
      'sign_in.code_guessed',
      86_400,
    ]);
  }
  expect((await open(others, key)).json()).toMatchObject({ code: 'sign_in.expired' });
  expect((await open(page, key)).statusCode).toBe(200);
  expect(await page.whoAmI()).toBe(email);
});

test('a code that is right is no guess: whoever signs in by codes all day is not kept out', async () => {
  const { email } = await site.join();
  for (let hour = 0; hour < 11; hour += 1) {
    const page = site.browser();
    const { attempt } = await ask(page, { address: email });
    expect((await site.prove(page, attempt, (await site.codeOf(attempt)) as string)).status).toBe(200);
    t.clock.advance(3_600_000);
  }
});
