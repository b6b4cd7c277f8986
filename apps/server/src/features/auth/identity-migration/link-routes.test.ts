/** Somebody moves to another way to sign in by a personal link (statement M5; security 60) */
import { verifyEmail } from '@vestibule/contract/sign-in';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestApp } from '../../../test/test-app.ts';
import { createTestBrowser, type TestBrowser } from '../../../test/test-browser.ts';
import {
  createTestOidcSite,
  homePath,
  providerEnvironment,
  type TestOidcSite,
} from '../../../test/test-oidc-site.ts';
import { signInCodeMailName } from '../email-codes/email-codes.ts';
import { resetProviders, createTestMigrations } from './test-migrations.ts';

let site: TestOidcSite;
let migrations: Awaited<ReturnType<typeof createTestMigrations>>;
beforeAll(async () => {
  site = await createTestOidcSite({ environment: { OIDC_OTHER_EMAIL: 'verified' } });
  migrations = await createTestMigrations(site);
});
beforeEach(() => resetProviders(site));
afterAll(() => site.close());

const end = async (browser: TestBrowser, code: string) =>
  site.resultOf(browser, await migrations.signIn(browser, code));
const outcomeOf = async (browser: TestBrowser, code: string) =>
  browser.outcome(await migrations.signIn(browser, code));

describe('a link', () => {
  test('that is opened and signed in by adds the account to the same person, who is inside', async () => {
    const { id, email, code, migrationId, browser: old } = await migrations.create();
    const browser = site.browser();
    expect(await migrations.getLink(browser, code)).toEqual({
      state: 'open',
      way: { id: 'other', kind: 'oidc', name: 'Other' },
      email,
    });
    expect(await migrations.stateOf(migrationId)).toBe('opened');
    expect(await migrations.methodsOf(id)).toEqual(['acme']);
    site.other.next.seen.length = 0;
    expect(await end(browser, code)).toBe(homePath);
    expect(site.other.next.seen[0]?.params).toMatchObject({ login_hint: email });
    expect(await browser.whoAmI()).toBe(email);
    expect(await migrations.methodsOf(id)).toEqual(['acme', 'other']);
    expect(await migrations.stateOf(migrationId)).toBe('moved');
    const data = await browser.ask('GET', '/api/users/me/data');
    expect(data.json()).toMatchObject({ moves: [{ way: 'other', movedAt: expect.any(String) }] });
    // The old way works until it is closed.
    expect(await old.whoAmI()).toBe(email);
    expect(await migrations.logOf(id)).toEqual([
      `move.begun by admin`,
      `identity.added by ${email}`,
      `move.done by ${email}`,
    ]);
  });

  test('that was used leads nowhere again, and says that it was', async () => {
    const { email, code, id } = await migrations.create();
    await end(site.browser(), code);
    const browser = site.browser();
    expect(await migrations.getLink(browser, code)).toEqual({
      state: 'moved',
      way: { id: 'other', kind: 'oidc', name: 'Other' },
      email: null,
    });
    site.other.setNextAccount(`a second account of ${email}`, { email, email_verified: true });
    expect(await end(browser, code)).toBe('move.ended');
    expect(await migrations.methodsOf(id)).toHaveLength(2);
  });

  test('that is looked at, by however many programs, changes nothing but that it was opened', async () => {
    const { id, code, migrationId } = await migrations.create();
    await Promise.all(Array.from({ length: 8 }, () => migrations.getLink(site.browser(), code)));
    await site.browser().ask('GET', `/move?m=${code}`);
    expect(await migrations.methodsOf(id)).toEqual(['acme']);
    expect(await migrations.stateOf(migrationId)).toBe('opened');
  });

  test('of somebody else adds no account: both addresses are told, and nothing changes', async () => {
    const ann = await migrations.create();
    const bob = await migrations.create();
    for (const [mine, theirs] of [
      [ann, bob],
      [bob, ann],
    ] as const) {
      mine.signInAtOther();
      const browser = site.browser();
      expect(await outcomeOf(browser, theirs.code)).toMatchObject({
        code: 'move.another_address',
        purpose: 'move',
        values: { expected: theirs.email, used: mine.email },
      });
      expect(await browser.whoAmI()).toBe('sign_in.needed');
      expect(await migrations.methodsOf(theirs.id)).toEqual(['acme']);
    }
    ann.signInAtOther();
    expect(await end(site.browser(), ann.code)).toBe(homePath);
    bob.signInAtOther();
    expect(await end(site.browser(), bob.code)).toBe(homePath);
  });

  test.each([
    [
      'has expired',
      (id: string) =>
        site.t.select(`update moves set expires_at = now() - interval '1 s' where id = $1`, [id]),
    ],
    ['was called off', (id: string) => migrations.cancel([id])],
    [
      'is of somebody disabled',
      (id: string) =>
        site.t.select(
          `update people set status = 'disabled' where id = (select person_id from moves where id = $1)`,
          [id],
        ),
    ],
    [
      'is of somebody removed',
      (id: string) =>
        site.t.select('delete from people where id = (select person_id from moves where id = $1)', [id]),
    ],
  ])('that %s leads nowhere, from the page and from the provider back', async (_what, change) => {
    const { id, code, migrationId } = await migrations.create();
    const browser = site.browser();
    const url = await migrations.startLink(browser, code);
    await change(migrationId);
    expect(await migrations.getLink(browser, code)).toEqual({ state: 'ended', way: null, email: null });
    expect(await migrations.startLink(site.browser(), code)).toBe('move.ended');
    const back = await browser.visitProvider(url);
    const ended = await site.resultOf(browser, String((await browser.ask('GET', back)).headers.location));
    // Whoever set out in time is let in while the link itself is only too old; a new one would be the same.
    if (_what === 'has expired') return;
    expect(['move.ended', 'person.disabled', 'sign_in.expired']).toContain(ended);
    expect(await browser.whoAmI()).toBe('sign_in.needed');
    expect((await migrations.methodsOf(id)).filter((way) => way === 'other')).toEqual([]);
  });

  test('that was pasted with what follows it opens its move', async () => {
    const { code } = await migrations.create();
    for (const after of ['.', '>', '%3E', ')', '\u200b'])
      expect(await migrations.getLink(site.browser(), code + after)).toMatchObject({ state: 'open' });
  });

  test('that nobody has sent leads nowhere, and whoever tries many is slowed down', async () => {
    const browser = site.browser();
    expect(await migrations.startLink(browser, 'x')).toBe('move.ended');
    const tried = await Promise.all(
      Array.from({ length: 12 }, (_, index) => migrations.startLink(browser, `unknown ${index}`)),
    );
    expect(tried).toContain('request.too_many');
    expect(await migrations.getLink(site.browser(), '')).toEqual({ state: 'ended', way: null, email: null });
  });

  test('stands in no table, job or log', async () => {
    const { code } = await migrations.create();
    const browser = site.browser();
    await browser.ask('GET', `/move?m=${code}`);
    await end(browser, code);
    expect(site.t.log.join('')).not.toContain(code);
    for (const table of ['moves', 'jobs.job_common', 'audit_log', 'sign_in_transactions'])
      expect(JSON.stringify(await site.t.select(`select * from ${table}`))).not.toContain(code);
  });
});

describe('an account', () => {
  test('that is somebody else’s already is not taken from them, nor are they let in by the link', async () => {
    const { id, code } = await migrations.create();
    const other = await site.join('member', { provider: site.other, way: 'other' });
    const browser = site.browser();
    expect(await end(browser, code)).toBe('sign_in.account_taken');
    expect(await browser.whoAmI()).toBe('sign_in.needed');
    expect(await migrations.methodsOf(id)).toEqual(['acme']);
    expect(await other.browser.whoAmI()).toBe(other.email);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['names no address', { email: undefined }, 'move.address_unproven'],
    ['does not vouch for the address', { email_verified: false }, 'move.address_unproven'],
    ['vouches for it by the word 0', { email_verified: 0 }, 'move.address_unproven'],
    ['vouches for another one', { email: 'ann@elsewhere.example' }, 'move.another_address'],
  ])(
    'whose provider %s is not added, unless this browser is signed in as the person',
    async (_what, claims, code) => {
      const migrating = await migrations.create(claims);
      const stranger = await site.join();
      for (const browser of [site.browser(), stranger.browser]) {
        migrating.signInAtOther();
        expect(await end(browser, migrating.code)).toBe(code);
        expect(await migrations.methodsOf(migrating.id)).toEqual(['acme']);
      }
      expect(await end(migrating.browser, migrating.code)).toBe(homePath);
      expect(await migrations.methodsOf(migrating.id)).toEqual(['acme', 'other']);
    },
  );

  test('that is added in the profile ends the move to its way', async () => {
    const { id, email, migrationId, browser } = await migrations.create();
    const answer = await browser.ask('POST', '/api/users/me/identities', { body: { way: 'other' } });
    const back = await browser.visitProvider(answer.json<{ url: string }>().url);
    await browser.ask('GET', back);
    expect(await migrations.stateOf(migrationId)).toBe('moved');
    expect(await migrations.logOf(id)).toContain(`move.done by ${email}`);
  });
});

describe('at the same moment', () => {
  test('two tabs that set out together move one person once, and both are inside', async () => {
    const { id, email, code } = await migrations.create();
    const browser = site.browser();
    const urls = [await migrations.startLink(browser, code), await migrations.startLink(browser, code)];
    const ends: string[] = [];
    for (const url of urls)
      ends.push(String((await browser.ask('GET', await browser.visitProvider(url))).headers.location));
    expect(ends).toEqual([homePath, homePath]);
    expect(await browser.whoAmI()).toBe(email);
    expect((await migrations.logOf(id)).filter((entry) => entry.startsWith('move.done'))).toHaveLength(1);
  });

  test('64 browsers with one link, through two processes, add one account', async () => {
    const { id, email, code } = await migrations.create();
    const beside = await createTestApp({
      sharedWith: site.t,
      environment: {
        OIDC_PROVIDERS: 'acme,other',
        SIGN_IN_WITH: 'oidc,b2c',
        ...providerEnvironment('acme', site.acme),
        ...providerEnvironment('other', site.other),
      },
    });
    const browsers = Array.from({ length: 64 }, (_, index) =>
      createTestBrowser(index % 2 ? otherProcess : site.t),
    );
    const backs: [TestBrowser, string][] = [];
    for (const [index, browser] of browsers.entries()) {
      // Half of them with an account of their own, all of one address.
      site.other.setNextAccount(`account ${index % 32} of ${email}`, { email, email_verified: true });
      backs.push([browser, await browser.visitProvider(await migrations.startLink(browser, code))]);
    }
    const ends = await Promise.all(
      backs.map(async ([browser, back]) =>
        site.resultOf(browser, String((await browser.ask('GET', back)).headers.location)),
      ),
    );
    expect(await migrations.methodsOf(id)).toEqual(['acme', 'other']);
    // The account that was first may come with both of its browsers.
    expect(ends.filter((one) => one === homePath)).toHaveLength(2);
    expect(ends.filter((one) => one === 'move.ended')).toHaveLength(62);
    await otherProcess.close();
  });

  test('a move that is called off while somebody is moving either holds with its account, or leaves none', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id, email, code, migrationId } = await migrations.create();
      const browser = site.browser();
      const back = await browser.visitProvider(await migrations.startLink(browser, code));
      const [answer] = await Promise.all([browser.ask('GET', back), migrations.cancel([migrationId])]);
      const location = String(answer.headers.location);
      expect(await migrations.stateOf(migrationId)).toBe('undone');
      expect(await migrations.methodsOf(id)).toEqual(['acme']);
      expect([homePath, 'move.ended', 'sign_in.expired']).toContain(await site.resultOf(browser, location));
      expect(await browser.whoAmI()).toBe('sign_in.needed');
      const old = site.browser();
      site.acme.next.sub = `sub of ${email}`;
      await old.signIn({ way: 'acme' });
      expect(await old.whoAmI()).toBe(email);
    }
  });
});

describe('where a provider asks for a code', () => {
  let asking: TestOidcSite;
  let there: Awaited<ReturnType<typeof createTestMigrations>>;
  beforeAll(async () => {
    asking = await createTestOidcSite();
    there = await createTestMigrations(asking);
  });
  afterAll(() => asking.close());

  async function wait() {
    const asked = await there.create({ email: 'ann@elsewhere.example', email_verified: false });
    const browser = asking.browser();
    const path = await there.signIn(browser, asked.code);
    const attempt = new URL(path, 'https://portal.example.com').searchParams.get('attempt') as string;
    const mail = await asking.t.mailTemplates[signInCodeMailName]?.write(attempt);
    const digits = /\b\d{6}\b/.exec(mail?.subject ?? '')?.[0] as string;
    const prove = async (code: string, by = browser) => {
      const answer = await by.ask('POST', verifyEmail.path, { body: { attempt, code } });
      const body = answer.json<{ returnTo?: string; code?: string }>();
      return body.returnTo ?? body.code;
    };
    return { ...asked, browser, path, mail, digits, prove };
  }

  test('an account with another verified address is refused by default', async () => {
    const asked = await there.create({ email: 'ann@elsewhere.example', email_verified: true });
    const browser = asking.browser();
    expect(await browser.outcome(await there.signIn(browser, asked.code))).toMatchObject({
      code: 'move.another_address',
    });
  });

  test('it goes to the person’s own address, and whoever enters it has moved', async () => {
    const { id, email, browser, path, mail, digits, prove, migrationId } = await wait();
    expect(await browser.outcome(path)).toMatchObject({ kind: 'proof', purpose: 'move' });
    expect(mail?.to.address).toBe(email);
    expect(mail?.text).toContain('in a new way');
    expect(await there.methodsOf(id)).toEqual(['acme']);
    expect(await prove(digits, asking.browser())).toBe('sign_in.expired');
    expect(await prove(digits === '000000' ? '111111' : '000000')).toBe('sign_in.code_wrong');
    expect(await prove(digits)).toBe(homePath);
    expect(await browser.whoAmI()).toBe(email);
    expect(await there.methodsOf(id)).toEqual(['acme', 'other']);
    expect(await there.stateOf(migrationId)).toBe('moved');
  });

  test.each([
    ['was called off', (id: string) => there.cancel([id])],
    [
      'is of somebody disabled meanwhile',
      (id: string) =>
        asking.t.select(
          `update people set status = 'disabled' where id = (select person_id from moves where id = $1)`,
          [id],
        ),
    ],
  ])('a code of a move that %s moves nobody', async (_what, change) => {
    const { id, browser, digits, prove, migrationId } = await wait();
    await change(migrationId);
    expect(await prove(digits)).toBe('sign_in.expired');
    expect(await there.methodsOf(id)).toEqual(['acme']);
    expect(await browser.whoAmI()).toBe('sign_in.needed');
  });
});
