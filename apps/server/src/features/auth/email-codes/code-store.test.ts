import { changeInvitationAddress, getInvitation } from '@vestibule/contract/invitations';
import { changePerson } from '@vestibule/contract/people/details';
import { removePerson } from '@vestibule/contract/people';
import { resendVerificationCode } from '@vestibule/contract/sign-in';
import { requestCode } from '@vestibule/contract/sign-in/codes';
import { changeSettings } from '@vestibule/contract/settings';
import { describe, expect, test } from 'vitest';
import { createTestAuthenticator } from '../../../test/sign-in/test-authenticator.ts';
import { createTestBrowser, wrongCode, type TestBrowser } from '../../../test/sign-in/test-browser.ts';
import { postAs, createPasskeySite, setUpPasskeySite } from '../../../test/sign-in/test-passkey-site.ts';
import { signInCodeMailName } from './email-codes.ts';

const site = await setUpPasskeySite();
const { t } = site;
const admin = await t.join('admin@example.com', 'admin');

const requestCodeFor = async (page: TestBrowser, body: object) =>
  (await postAs(page, requestCode, body)).body;
/** Requests a code, and returns it with its attempt. */
async function codeFor(page: TestBrowser, body: object) {
  const { attempt } = await requestCodeFor(page, body);
  return { attempt, code: (await site.codeOf(attempt)) as string };
}
const isMailed = async (address: string) => (await codeFor(site.browser(), { address })).code !== undefined;
const rowOf = (address: string) =>
  t.select<{ proof_mails: number }>`select * from sign_in_transactions where address = ${address}`;

describe('sign-in by code of a member', () => {
  test('succeeds with the code of the mail, which names the site, the device and the network', async () => {
    const { id, email } = await site.join();
    await t.select`update people set language = 'de' where id = ${id}`;
    const page = createTestBrowser(t, 'Mozilla/5.0 (Windows NT 10.0) Firefox/151.0');
    const { attempt, resendInSeconds } = await requestCodeFor(page, {
      address: ` ${email.toUpperCase()} `,
      returnTo: '/attachment',
    });
    expect(resendInSeconds).toBe(60);
    const mail = await site.mailOf(attempt);
    const code = (await site.codeOf(attempt)) as string;
    expect(mail).toMatchObject({
      to: { address: email, name: 'Ann' },
      subject: `${code} ist Ihr Code für Vestibule`,
    });
    expect(mail?.text).toMatch(
      /mit Firefox unter Windows angefordert, von der Netzwerkadresse 10\.1\.\d+\.\d+\./,
    );
    expect(mail?.text).toContain(`https://portal.example.com/login?sign-in=code&attempt=${attempt}#${code}`);
    expect(mail?.text).toContain('Das waren nicht Sie?');
    expect(await page.outcome(`/login?attempt=${attempt}`)).toMatchObject({
      kind: 'proof',
      way: { id: 'passkeys', kind: 'passkeys' },
      maskedEmail: 'p••@example.com',
      resendInSeconds: 60,
    });
    const { status, body } = await site.submitCode(page, attempt, code);
    expect([status, body]).toEqual([200, { returnTo: '/attachment', next: 'offer-another-passkey' }]);
    expect(await page.whoAmI()).toBe(email);
  });

  test.each([
    ['the language that the person chose', 'de', { 'accept-language': 'en' }, 'ist Ihr Code'],
    ['the language of the browser', null, { 'accept-language': 'de-AT,en;q=0.5' }, 'ist Ihr Code'],
    ['the language that was chosen in the browser', null, { cookie: 'language=de' }, 'ist Ihr Code'],
    ['the language of the site', null, { 'accept-language': 'ja' }, 'is your code'],
  ])('is mailed in %s', async (_what, language, headers, subject) => {
    const { id, email } = await site.join();
    await t.select`update people set language = ${language} where id = ${id}`;
    const { attempt } = (
      await site.browser().ask('POST', requestCode.path, { body: { address: email }, headers })
    ).json<{ attempt: string }>();
    expect((await site.mailOf(attempt))?.subject).toContain(subject);
  });

  test.each([
    ['an invisible character, as copied from Teams', (email: string) => `\u200b${email}\u202c`],
    ['a full stop and a space, which phones add for two spaces', (email: string) => `${email}. `],
    ['a full-width @', (email: string) => email.replace('@', '＠')],
  ])('accepts an address with %s', async (_what, write) => {
    const { email } = await site.join();
    expect(await isMailed(write(email))).toBe(true);
  });

  test('verifies the address, which an invitation link does not', async () => {
    const { id, email } = await site.join();
    const verified = () =>
      t.select`select from identities where person_id = ${id} and email = ${email} and email_verified`;
    expect(await verified()).toEqual([]);
    expect((await site.enterCode(site.browser(), { address: email })).status).toBe(200);
    expect(await verified()).toHaveLength(1);
  });

  test('offers another passkey once a month in a browser where no passkey was created or used', async () => {
    const { email, device, browser } = await site.join();
    const nextIn = async (page: TestBrowser) => (await site.enterCode(page, { address: email })).body.next;
    expect(await nextIn(browser)).toBeNull();
    const page = site.browser();
    expect(await nextIn(page)).toBe('offer-another-passkey');
    expect(await nextIn(page)).toBeNull();
    const used = site.browser();
    await site.signIn(used, device);
    expect(await nextIn(used)).toBeNull();
  });

  test('works with the new address after a change, and no longer with a code mailed to the old one', async () => {
    const { id, email } = await site.join();
    const page = site.browser();
    const { attempt, code } = await codeFor(page, { address: email });
    const changed = await t.callAs(admin, changePerson, {
      params: { personId: id },
      body: { email: `new-${email}` },
    });
    expect(changed.status).toBe(200);
    expect((await site.submitCode(page, attempt, code)).status).toBe(403);
    expect(await isMailed(email)).toBe(false);
    expect((await site.enterCode(site.browser(), { address: `new-${email}` })).status).toBe(200);
  });

  test('fails with a code that was mailed before the person was removed', async () => {
    const { id, email } = await site.join();
    const page = site.browser();
    const { attempt, code } = await codeFor(page, { address: email });
    const removed = await t.callAs(admin, removePerson, { params: { personId: id } });
    expect(removed.status).toBe(200);
    expect((await site.submitCode(page, attempt, code)).body.code).toBe('person.not_invited');
    expect(await page.whoAmI()).toBe('sign_in.needed');
  });

  test('mails nothing to people who sign in only through a provider', async () => {
    expect(await isMailed(admin.email)).toBe(false);
  });
});

describe('sign-in by code of a new user', () => {
  test('redeems an invitation by its address without the link', async () => {
    const { email } = await t.invitationTo(site.newAddress(), { role: 'admin' });
    const page = site.browser();
    expect((await site.enterCode(page, { address: email })).status).toBe(200);
    expect(await page.whoAmI()).toBe(email);
  });

  test('mails nothing to an address without an open invitation', async () => {
    expect(await isMailed('uninvited@example.com')).toBe(false);
    const withdrawn = await t.invitationTo(site.newAddress());
    await t.select`update invitations set status = 'revoked', revoked_at = now() where id = ${withdrawn.id}`;
    expect(await isMailed(withdrawn.email)).toBe(false);
    expect(await requestCodeFor(site.browser(), { invitation: withdrawn.code })).toMatchObject({
      code: 'person.invitation_expired',
    });
  });

  test('admits an address of an auto-join domain', async () => {
    await t.callAs(admin, changeSettings, {
      body: { signInDomains: ['open.example passkeys open'], versions: { signInDomains: 0 } },
    });
    const page = site.browser();
    expect((await site.enterCode(page, { address: 'Ann@open.example' })).body.next).toBe('offer-passkey');
    expect(await page.whoAmI()).toBe('Ann@open.example');
  });

  test('asks the managers of the organization of the domain, without a passkey or an account', async () => {
    await t.select(
      `insert into organizations (id, name, slug, created_at) values (gen_random_uuid(), 'Acme', 'acme', now())`,
    );
    await t.select(`insert into organization_domains (organization_id, domain, state, token, enrolment, created_at)
      select id, 'acme.example', 'verified', gen_random_uuid(), 'request', now() from organizations`);
    await site.withSettings({ passkeyRequired: 'everybody' }, async () => {
      const asked = await site.enterCode(site.browser(), { address: 'ann@acme.example' });
      expect(asked.body).toMatchObject({
        code: 'person.join_requested',
        message: expect.stringContaining('Your request to join Acme') as string,
      });
    });
    expect(await t.select('select from membership_requests')).toHaveLength(1);
    expect(await t.select(`select from people where email = 'ann@acme.example'`)).toEqual([]);
    await t.select('delete from organizations');
  });

  test.each([
    ['link', 'sign_in.expired'],
    ['address', 'person.not_invited'],
  ])(
    'fails for a code that was requested with the %s of an invitation before the invitation’s address was changed: %s',
    async (requestedBy, problem) => {
      const { id, email, code: link } = await t.invitationTo(site.newAddress());
      const page = site.browser();
      const { attempt } = await requestCodeFor(
        page,
        requestedBy === 'link' ? { invitation: link } : { address: email },
      );
      const code = (await site.codeOf(attempt)) as string;
      const body = { email: site.newAddress() };
      await t.callAs(admin, changeInvitationAddress, { params: { invitationId: id }, body });
      expect((await site.submitCode(page, attempt, code)).body.code).toBe(problem);
      expect(await page.whoAmI()).toBe('sign_in.needed');
    },
  );
});

describe('request for a code', () => {
  test('has the same response and effects for a member, an invitee, an unknown address and an administrator', async () => {
    const { email } = await site.join();
    const { email: invited } = await t.invitationTo(site.newAddress());
    const written: unknown[] = [];
    for (const address of [email, invited, 'unknown@example.com', admin.email]) {
      const page = site.browser();
      const before = await t.select<{ count: number }>('select count(*) from jobs.job');
      const response = await postAs(page, requestCode, { address });
      const after = await t.select<{ count: number }>('select count(*) from jobs.job');
      const { attempt, ...rest } = response.body;
      const afterWrongCode = await site.submitCode(page, attempt, '000000');
      written.push({
        status: response.status,
        rest,
        attempt: attempt.length,
        jobs: (after[0]?.count ?? 0) - (before[0]?.count ?? 0),
        rows: (await rowOf(address)).length,
        wrong: afterWrongCode.body.code,
      });
    }
    expect(new Set(written.map((response) => JSON.stringify(response))).size).toBe(1);
    expect(written[0]).toMatchObject({ status: 200, jobs: 1, rows: 1, wrong: 'sign_in.code_wrong' });
  });

  test('runs the same statements for every address', async () => {
    const statements: string[][] = [];
    const watched = await createPasskeySite({
      wrapDatabase: (database) => ({
        ...database,
        transaction: (work, limit) =>
          database.transaction(
            (transaction) =>
              work({
                query: (config) => {
                  statements.at(-1)?.push(config.text);
                  return transaction.query(config);
                },
              }),
            limit,
          ),
        query: (config) => {
          statements.at(-1)?.push(config.text);
          return database.query(config);
        },
      }),
    });
    const { email } = await watched.join();
    for (const address of [email, 'unknown@example.com']) {
      statements.push([]);
      await postAs(watched.browser(), requestCode, { address });
    }
    expect(statements.at(-1)?.length).toBeGreaterThan(3);
    expect(statements.at(-1)).toEqual(statements.at(-2));
    await watched.close();
  });

  test.each(['', 'no address', 'a@', 'x'.repeat(300), 'ann@exa\u212Aple.com'])(
    'rejects the address %j',
    async (address) => {
      const { status } = await postAs(site.browser(), requestCode, { address });
      expect(status).toBe(400);
    },
  );
});

describe('a code', () => {
  test('works once, for ten minutes, in the requesting browser', async () => {
    const { email } = await site.join();
    const page = site.browser();
    const { attempt, code } = await codeFor(page, { address: email });
    expect((await site.submitCode(site.browser(), attempt, code)).body.code).toBe('sign_in.expired');
    const concurrent = await Promise.all([
      site.submitCode(page, attempt, code),
      site.submitCode(page, attempt, code),
    ]);
    expect(concurrent.map(({ body }) => body.code ?? 'inside').sort()).toEqual(['inside', 'sign_in.expired']);
    const lateBrowser = site.browser();
    const second = await requestCodeFor(lateBrowser, { address: email });
    const old = (await site.codeOf(second.attempt)) as string;
    t.clock.advance(600_000);
    expect((await site.submitCode(lateBrowser, second.attempt, old)).body.code).toBe('sign_in.expired');
    expect(await site.codeOf(second.attempt)).toBeUndefined();
  });

  test('allows five attempts, also concurrent ones', async () => {
    const { email } = await site.join();
    const page = site.browser();
    const { attempt, code } = await codeFor(page, { address: email });
    const tried = await Promise.all(
      Array.from({ length: 12 }, () => site.submitCode(page, attempt, wrongCode(code))),
    );
    expect(tried.filter(({ body }) => body.code === 'sign_in.code_wrong')).toHaveLength(5);
    expect((await site.submitCode(page, attempt, code)).body.code).toBe('sign_in.code_spent');
    t.clock.advance(60_000);
    await postAs(page, resendVerificationCode, { attempt });
    const next = (await site.codeOf(attempt)) as string;
    expect(next).not.toBe(code);
    expect((await site.submitCode(page, attempt, code)).body.code).toBe('sign_in.code_wrong');
    expect((await site.submitCode(page, attempt, next)).status).toBe(200);
  });

  test('invalidates the previous code of the same address', async () => {
    const { email } = await site.join();
    const page = site.browser();
    const first = await requestCodeFor(page, { address: email });
    const code = (await site.codeOf(first.attempt)) as string;
    const second = await requestCodeFor(site.browser(), { address: email });
    expect(await rowOf(email)).toHaveLength(1);
    expect((await site.submitCode(page, first.attempt, code)).body.code).toBe('sign_in.expired');
    expect(await site.codeOf(first.attempt)).toBeUndefined();
    expect(await site.codeOf(second.attempt)).toMatch(/^\d{6}$/);
  });

  test('is valid for another ten minutes when it is sent again; the required passkey can be created within ten minutes after entering the code', () =>
    site.withSettings({ passkeyRequired: 'everybody' }, async () => {
      const { email } = await site.join();
      const page = site.browser();
      const { attempt } = await requestCodeFor(page, { address: email });
      const advanceMinutes = (count: number) => t.clock.advance(count * 60_000);
      advanceMinutes(9);
      const again = await page.ask('POST', resendVerificationCode.path, { body: { attempt } });
      expect(String(again.headers['set-cookie'])).toContain('Max-Age=600');
      advanceMinutes(9);
      const code = (await site.codeOf(attempt)) as string;
      expect((await site.submitCode(page, attempt, code)).body.next).toBe('passkey-required');
      advanceMinutes(9);
      const end = await site.createFirst(page, createTestAuthenticator(), { attempt });
      expect(end).toBe('/layout/dashboard');
    }));

  test('can be requested again while the mail server is down', async () => {
    const { email } = await site.join();
    const page = site.browser();
    const { attempt } = await requestCodeFor(page, { address: email });
    const template = t.mailTemplates[signInCodeMailName];
    await template?.failed?.(attempt, 'connection refused', false);
    t.clock.advance(60_000);
    expect((await postAs(page, resendVerificationCode, { attempt })).body).toEqual({ resendInSeconds: 60 });
    expect((await postAs(page, resendVerificationCode, { attempt })).body.code).toBe('request.too_many');
    expect((await site.submitCode(page, attempt, (await site.codeOf(attempt)) as string)).status).toBe(200);
  });

  test('whose mail fails is recorded with the reason for a member or an invitation, once an hour, and not for other addresses', async () => {
    const { id, email } = await site.join();
    const invitation = await t.invitationTo(site.newAddress());
    const failFor = async (address: string, reason: string) => {
      const { attempt } = await requestCodeFor(site.browser(), { address });
      await t.mailTemplates[signInCodeMailName]?.failed?.(attempt, reason, false);
    };
    for (const address of [email, invitation.email, 'unknown@example.com'])
      for (const reason of ['550 no such mailbox', '451 later']) await failFor(address, reason);
    const failures = () =>
      t.select`
        select target_id, detail from audit_log
        where action = 'person.code_mail_failed' and target_label = any(${[email, 'unknown@example.com']}) order by id`;
    const recorded = { target_id: id, detail: { reason: '550 no such mailbox' } };
    expect(await failures()).toEqual([recorded]);
    const { timeline } = (await t.callAs(admin, getInvitation, { params: { invitationId: invitation.id } }))
      .body;
    expect(timeline.filter(({ kind }) => kind === 'mail_failed')).toMatchObject([
      { note: '451 later', times: 2 },
    ]);
    t.clock.advance(3_600_000);
    await failFor(email, 'connection refused');
    expect(await failures()).toEqual([recorded, { target_id: id, detail: { reason: 'connection refused' } }]);
  });
});
