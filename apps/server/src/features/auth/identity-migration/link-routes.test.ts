/** Identity migration through a personal link (statement M5; security 60). */
import { describe, expect, test } from 'vitest';
import { createTestBrowser, wrongCode, type TestBrowser } from '../../../test/sign-in/test-browser.ts';
import { homePath, type TestOidcSite, setUpOidcSite } from '../../../test/sign-in/test-oidc-site.ts';
import { createTestMigrations } from './test-migrations.ts';

const site = await setUpOidcSite({ environment: { OIDC_OTHER_EMAIL: 'verified' } });
const migrations = await createTestMigrations(site);

const end = async (browser: TestBrowser, code: string) =>
  site.resultOf(browser, await migrations.signIn(browser, code));
const outcomeOf = async (browser: TestBrowser, code: string) =>
  browser.outcome(await migrations.signIn(browser, code));

const disableOwner = ({ t }: TestOidcSite, migrationId: string) =>
  t.select`
    update people set status = 'disabled' where id = (select person_id from identity_migrations where id = ${migrationId})`;

describe('a migration link', () => {
  test('signing in through a link adds the account to the person and starts a session', async () => {
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
    expect(await old.whoAmI()).toBe(email);
    expect(await migrations.logOf(id)).toEqual([
      `move.begun by admin`,
      `identity.added by ${email}`,
      `move.done by ${email}`,
    ]);
  });

  test('the link of a single person adds a second account at the same provider, which has replaced the first one', async () => {
    const person = await site.join();
    const browser = site.browser();
    site.acme.setNextAccount(`new ${person.sub}`, { email: person.email, email_verified: true });
    expect(await site.tryToSignIn({ way: 'acme' }, browser)).toBe('person.account_replaced');
    expect(await migrations.start([person.id], 'acme')).toMatchObject({ done: 1, skippedCount: 0 });
    const mail = await migrations.mailOf(await migrations.migrationIdOf(person.id));
    const code = /\/move\?m=(\w+)/.exec(mail?.text ?? '')?.[1] as string;
    expect(await end(browser, code)).toBe(homePath);
    expect(await browser.whoAmI()).toBe(person.email);
    expect(await site.tryToSignIn()).toBe(homePath);
  });

  test('a used link reports that it was used and cannot be used again', async () => {
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

  test('a link of another person adds no account: the error names both addresses', async () => {
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
        site.t.select`update identity_migrations set expires_at = now() - interval '1 s' where id = ${id}`,
    ],
    ['was cancelled', (id: string) => migrations.cancel([id])],
    ['is of a disabled person', (id: string) => disableOwner(site, id)],
    [
      'is of a removed person',
      (id: string) =>
        site.t.select`
          delete from people where id = (select person_id from identity_migrations where id = ${id})`,
    ],
  ])('a link whose migration %s is refused, on the page and in the callback', async (_what, change) => {
    const { id, code, migrationId } = await migrations.create();
    const browser = site.browser();
    const url = await migrations.startLink(browser, code);
    await change(migrationId);
    expect(await migrations.getLink(browser, code)).toEqual({ state: 'ended', way: null, email: null });
    expect(await migrations.startLink(site.browser(), code)).toBe('move.ended');
    const ended = await site.resultOf(browser, await browser.finish(url));
    // A sign-in that started before the link expired may finish.
    if (_what === 'has expired') return;
    expect(['move.ended', 'person.disabled', 'sign_in.expired']).toContain(ended);
    expect(await browser.whoAmI()).toBe('sign_in.needed');
    expect((await migrations.methodsOf(id)).filter((methodId) => methodId === 'other')).toEqual([]);
  });

  test('a link is found with pasted punctuation after it', async () => {
    const { code } = await migrations.create();
    for (const after of ['.', '>', '%3E', ')', '\u200b'])
      expect(await migrations.getLink(site.browser(), code + after)).toMatchObject({ state: 'open' });
  });

  test('an unknown link is refused, and many attempts are rate-limited', async () => {
    const browser = site.browser();
    expect(await migrations.startLink(browser, 'x')).toBe('move.ended');
    const tried = await Promise.all(
      Array.from({ length: 12 }, (_, index) => migrations.startLink(browser, `unknown ${index}`)),
    );
    expect(tried).toContain('request.too_many');
    expect(await migrations.getLink(site.browser(), '')).toEqual({ state: 'ended', way: null, email: null });
  });
});

describe('the account of a migration', () => {
  test('an account that belongs to another person is not added, and the link starts no session', async () => {
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
    ['does not verify the address', { email_verified: false }, 'move.address_unproven'],
    ['sends 0 as email_verified', { email_verified: 0 }, 'move.address_unproven'],
    ['verifies another address', { email: 'ann@elsewhere.example' }, 'move.another_address'],
  ])(
    'if the provider %s, the account is added only in a browser that is signed in as the migrating person',
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

  test('adding an account in the profile completes a migration to that sign-in method', async () => {
    const { id, email, migrationId, browser } = await migrations.create();
    const response = await browser.ask('POST', '/api/users/me/identities', { body: { way: 'other' } });
    await browser.finish(response.json<{ url: string }>().url);
    expect(await migrations.stateOf(migrationId)).toBe('moved');
    expect(await migrations.logOf(id)).toContain(`move.done by ${email}`);
  });
});

describe('concurrent use of a link', () => {
  test('64 browsers with one link, through two processes, add one account', async () => {
    const { id, email, code } = await migrations.create();
    const otherProcess = await site.startProcess();
    const browsers = Array.from({ length: 64 }, (_, index) =>
      createTestBrowser(index % 2 ? otherProcess : site.t),
    );
    const backs: [TestBrowser, string][] = [];
    for (const [index, browser] of browsers.entries()) {
      // 32 accounts with the same address, two browsers each.
      site.other.setNextAccount(`account ${index % 32} of ${email}`, { email, email_verified: true });
      backs.push([browser, await browser.visitProvider(await migrations.startLink(browser, code))]);
    }
    const ends = await Promise.all(
      backs.map(async ([browser, back]) =>
        site.resultOf(browser, String((await browser.ask('GET', back)).headers.location)),
      ),
    );
    expect(await migrations.methodsOf(id)).toEqual(['acme', 'other']);
    // Only the two browsers that use the added account are signed in.
    expect(ends.filter((url) => url === homePath)).toHaveLength(2);
    expect(ends.filter((url) => url === 'move.ended')).toHaveLength(62);
    await otherProcess.close();
  });

  test('a migration that is cancelled during its sign-in leaves no account and no session', async () => {
    for (let round = 0; round < 2; round += 1) {
      const { id, email, code, migrationId } = await migrations.create();
      const browser = site.browser();
      const back = await browser.visitProvider(await migrations.startLink(browser, code));
      const [response] = await Promise.all([browser.ask('GET', back), migrations.cancel([migrationId])]);
      const location = String(response.headers.location);
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

const codeSite = await setUpOidcSite();
const codeMigrations = await createTestMigrations(codeSite);
describe('a migration with an e-mailed code', () => {
  async function startVerification() {
    const created = await codeMigrations.create({ email: 'ann@elsewhere.example', email_verified: false });
    const browser = codeSite.browser();
    const path = await codeMigrations.signIn(browser, created.code);
    const attempt = browser.attemptOf(path);
    const digits = (await codeSite.t.signInCodeOf(attempt)) as string;
    return { ...created, browser, path, attempt, digits };
  }

  test('the code is mailed to the person’s address, and entering it completes the migration', async () => {
    const { id, email, browser, path, attempt, digits, migrationId } = await startVerification();
    const mail = await codeSite.t.signInMailOf(attempt);
    expect(await browser.outcome(path)).toMatchObject({ kind: 'proof', purpose: 'move' });
    expect(mail?.to.address).toBe(email);
    expect(mail?.text).toContain('with a new method');
    expect(await codeMigrations.methodsOf(id)).toEqual(['acme']);
    expect(await codeSite.browser().enterCode(attempt, digits)).toBe('sign_in.expired');
    expect(await browser.enterCode(attempt, wrongCode(digits))).toBe('sign_in.code_wrong');
    expect(await browser.enterCode(attempt, digits)).toBe(homePath);
    expect(await browser.whoAmI()).toBe(email);
    expect(await codeMigrations.methodsOf(id)).toEqual(['acme', 'other']);
    expect(await codeMigrations.stateOf(migrationId)).toBe('moved');
  });

  test.each([
    ['was cancelled', (id: string) => codeMigrations.cancel([id])],
    ['is of a disabled person', (id: string) => disableOwner(codeSite, id)],
  ])('a code of a migration that %s is refused', async (_what, change) => {
    const { id, browser, attempt, digits, migrationId } = await startVerification();
    await change(migrationId);
    expect(await browser.enterCode(attempt, digits)).toBe('sign_in.expired');
    expect(await codeMigrations.methodsOf(id)).toEqual(['acme']);
    expect(await browser.whoAmI()).toBe('sign_in.needed');
  });
});
