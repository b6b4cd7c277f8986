import { verifyEmail } from '@vestibule/contract/sign-in';
import { requestCode } from '@vestibule/contract/sign-in/codes';
import { startFirstPasskey } from '@vestibule/contract/sign-in/passkeys';
import { getInvitationLinkState } from '@vestibule/contract/invitations/link';
import { describe, expect, test } from 'vitest';
import { wrongCode, type TestBrowser } from '../../../test/sign-in/test-browser.ts';
import { postAs, setUpPasskeySite } from '../../../test/sign-in/test-passkey-site.ts';

const site = await setUpPasskeySite();
const { t } = site;

const requestCodeFor = async (page: TestBrowser, body: object) =>
  (await postAs(page, requestCode, body)).body;

test('at most five codes an hour can be requested for an address, across networks', async () => {
  const { email } = await site.join();
  const requests = await Promise.all(
    Array.from({ length: 24 }, () => postAs(site.browser(), requestCode, { address: email })),
  );
  expect(requests.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(requests.filter(({ body }) => body.code === 'sign_in.codes_asked')).toHaveLength(19);
  t.clock.advance(3_600_000);
  expect((await postAs(site.browser(), requestCode, { address: email })).status).toBe(200);
});

test('at most 200 codes an hour that are not entered can be requested from a network', async () => {
  const { email } = await site.join();
  const page = site.browser();
  const requestFor = (address: string) => requestCodeFor(page, { address });
  const { attempt } = await requestFor(email);
  const others = (from: number, to: number) =>
    Promise.all(
      Array.from({ length: to - from }, (_, index) => requestFor(`network-${from + index}@example.com`)),
    );
  expect((await others(0, 199)).filter(({ code }) => code === undefined)).toHaveLength(199);
  expect((await requestFor('late@example.com')).code).toBe('request.too_many');
  expect((await site.submitCode(page, attempt, (await site.codeOf(attempt)) as string)).status).toBe(200);
  expect((await requestFor('late@example.com')).code).toBeUndefined();
  expect((await requestFor('later@example.com')).code).toBe('request.too_many');
});

test('at most ten wrong invitation links a minute can be tried from a network', async () => {
  const { code: invitation } = await t.invitationTo(site.newAddress());
  const page = site.browser();
  const problems = await Promise.all(
    Array.from({ length: 14 }, async () => (await requestCodeFor(page, { invitation: 'wrong' })).code),
  );
  expect(problems.filter((code) => code === 'person.invitation_expired')).toHaveLength(10);
  expect((await requestCodeFor(page, { invitation })).code).toBe('request.too_many');
  expect((await postAs(page, startFirstPasskey, { invitation })).body.code).toBe('request.too_many');
  expect((await postAs(site.browser(), requestCode, { invitation })).status).toBe(200);
});

test('1,000 network addresses together have nine guesses a day at the codes mailed to one person (security 63)', async () => {
  const { email } = await site.join();
  const page = site.browser();
  let guessed = 0;
  for (let hour = 0; hour < 3; hour += 1) {
    for (let requests = 0; requests < 5; requests += 1) {
      const { attempt } = await requestCodeFor(page, { address: email });
      const code = (await site.codeOf(attempt)) as string;
      const attempts = await Promise.all(
        Array.from({ length: 67 }, (_, index) =>
          t.app.inject({
            method: 'POST',
            url: '/api/sign-in/proof',
            remoteAddress: `10.9.${hour * 5 + requests}.${index}`,
            headers: {
              'sec-fetch-site': 'same-origin',
              cookie: [...page.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
            },
            payload: { attempt, code: wrongCode(code) },
          }),
        ),
      );
      guessed += attempts.filter(
        (response) => response.json<{ code: string }>().code === 'sign_in.code_wrong',
      ).length;
    }
    t.clock.advance(3_600_000);
  }
  expect(guessed).toBe(9);
  expect(guessed / 1_000_000).toBeLessThan(1 / 100_000);
});

test('the link in the mail still works in the requesting browser after other browsers used up the guesses of the day', async () => {
  const { email } = await site.join();
  const others = site.browser();
  for (const guesses of [5, 4]) {
    const { attempt } = await requestCodeFor(others, { address: email });
    const code = (await site.codeOf(attempt)) as string;
    for (let guess = 0; guess < guesses; guess += 1)
      expect((await site.submitCode(others, attempt, wrongCode(code))).body.code).toBe('sign_in.code_wrong');
  }
  const page = site.browser();
  const { attempt } = await requestCodeFor(page, { address: email });
  const [, code = '', key = ''] = /#(\d{6})(\S+)/.exec((await site.mailOf(attempt))?.text ?? '') ?? [];
  const verify = (browser: TestBrowser, linkKey: string) =>
    browser.ask('POST', verifyEmail.path, { body: { attempt, code, key: linkKey } });
  for (const linkKey of ['', 'x'.repeat(key.length)]) {
    const refused = await verify(page, linkKey);
    expect([refused.json<{ code: string }>().code, Number(refused.headers['retry-after'])]).toEqual([
      'sign_in.code_guessed',
      86_400,
    ]);
  }
  expect((await verify(others, key)).json()).toMatchObject({ code: 'sign_in.expired' });
  expect((await verify(page, key)).statusCode).toBe(200);
  expect(await page.whoAmI()).toBe(email);
});

test('correct codes do not count as guesses', async () => {
  const { email } = await site.join();
  for (let hour = 0; hour < 11; hour += 1) {
    const page = site.browser();
    const { attempt } = await requestCodeFor(page, { address: email });
    expect((await site.submitCode(page, attempt, (await site.codeOf(attempt)) as string)).status).toBe(200);
    t.clock.advance(3_600_000);
  }
});

describe('the ninth wrong code of a day', () => {
  const guess = async (page: TestBrowser, email: string, guesses: number) => {
    const { attempt } = await requestCodeFor(page, { address: email });
    const code = (await site.codeOf(attempt)) ?? '000000';
    for (let count = 0; count < guesses; count += 1) await site.submitCode(page, attempt, wrongCode(code));
  };
  const entries = (targetId: string) =>
    t.select<{ action: string; detail: object; address: string }>`
      select action, detail, address from audit_log where target_id = ${targetId}
      and action in ('person.codes_blocked', 'invitation.refused')`;

  test('is recorded once in the activity log of a member, with the network address', async () => {
    const { id, email } = await site.join();
    const page = site.browser();
    await guess(page, email, 5);
    await guess(page, email, 3);
    expect(await entries(id)).toEqual([]);
    await guess(page, email, 3);
    await expect.poll(() => entries(id)).toHaveLength(1);
    expect(await entries(id)).toEqual([
      { action: 'person.codes_blocked', detail: {}, address: expect.stringMatching(/^10\.1\./) as string },
    ]);
  });

  test('is recorded in the timeline of an invitation', async () => {
    const { id, email } = await t.invitationTo(site.newAddress());
    const page = site.browser();
    await guess(page, email, 5);
    await guess(page, email, 5);
    await expect.poll(() => entries(id)).toHaveLength(1);
    expect(await entries(id)).toMatchObject([
      { action: 'invitation.refused', detail: { reason: 'too many wrong codes' } },
    ]);
  });
});

test('refused sign-ins are logged with code, method and network address, and counted', async () => {
  const { email, device } = await site.join();
  const page = site.browser();
  const { attempt } = await requestCodeFor(page, { address: email });
  t.log.length = 0;
  await site.submitCode(page, attempt, wrongCode((await site.codeOf(attempt)) as string));
  await postAs(page, getInvitationLinkState, { code: 'wrong' });
  await site.signIn(page, device, { isVerified: false });
  const lines = t.log
    .join('')
    .split('\n')
    .filter((line) => line.includes('sign-in refused'));
  expect(lines.map((line) => line.replace(/^.*?(?="code")/, ''))).toEqual(
    [
      ['sign_in.code_wrong', 'code'],
      ['invitation.unknown', 'invitation'],
      ['passkey.refused', 'passkey'],
    ].map(([code, method]) =>
      expect.stringMatching(
        new RegExp(
          `^"code":"${code}","signInMethod":"${method}","address":"10\\.1\\.\\d+\\.\\d+","msg":"sign-in refused"}$`,
        ),
      ),
    ),
  );
});
