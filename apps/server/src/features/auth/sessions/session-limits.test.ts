import { requestCode } from '@vestibule/contract/sign-in/codes';
import {
  askForPasskey,
  startFirstPasskey,
  createFirstPasskey,
  signInWithPasskey,
} from '@vestibule/contract/sign-in/passkeys';
import { verifyEmail } from '@vestibule/contract/sign-in';
import { endOtherSessions } from '@vestibule/contract/sign-in/sessions';
import { sessionsMaximum, signInsPerHour } from '@vestibule/contract/rules/limits';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestAuthenticator, type TestAuthenticator } from '../../../test/test-authenticator.ts';
import { createTestBrowser, type TestBrowser } from '../../../test/test-browser.ts';
import { createTestOidcSite, homePath, type TestOidcSite } from '../../../test/test-oidc-site.ts';
import { postAs } from '../../../test/test-passkey-site.ts';
import { waitForLocks } from '../../../test/test-faults.ts';
import { signInCodeMailName } from '../email-codes/email-codes.ts';
import { lockPeople } from '../identities/identity-store.ts';

let site: TestOidcSite;
let t: TestOidcSite['t'];
beforeAll(async () => {
  site = await createTestOidcSite({ environment: { SIGN_IN_WITH: 'oidc,passkeys,b2c' } });
  ({ t } = site);
});
afterAll(() => site.close());

const hourMs = 3_600_000;

async function signInByPasskey(page: TestBrowser, device: TestAuthenticator, wrong = {}) {
  const { body: options } = await postAs(page, askForPasskey);
  return postAs(page, signInWithPasskey, { response: device.get(options, wrong) });
}
async function joinWithPasskey() {
  const email = site.newAddress();
  const { code } = await t.invitationTo(email);
  const [page, device] = [site.browser(), createTestAuthenticator()];
  const { attempt, options } = (await postAs(page, startFirstPasskey, { invitation: code, name: 'Ann' }))
    .body;
  const created = await postAs(page, createFirstPasskey, { attempt, response: device.create(options) });
  expect(created.status).toBe(200);
  const [person] = await t.select<{ id: string }>('select id from people where email = $1', [email]);
  return { id: person?.id as string, email, device };
}
async function signInByCode(page: TestBrowser, address: string) {
  const { attempt } = (await postAs(page, requestCode, { address })).body;
  const mail = await t.mailTemplates[signInCodeMailName]?.write(attempt);
  const code = /\b\d{6}\b/.exec(mail?.subject ?? '')?.[0] as string;
  return postAs(page, verifyEmail, { attempt, code });
}

const countSignIns = (personId: string, used: number) =>
  t.select(
    `insert into rate_limits (key, used, ends_at) values ('sign-ins of a person:' || $1, $2, $3)
     on conflict (key) do update set used = excluded.used, ends_at = excluded.ends_at`,
    [personId, used, new Date(t.clock.now() + hourMs)],
  );
const challenges = () => t.select('select from used_challenges');

describe('limit of sign-ins per person', () => {
  test('refuses sign-ins by passkey without storing anything, and does not affect other people', async () => {
    const [ann, bob] = [await joinWithPasskey(), await joinWithPasskey()];
    await countSignIns(ann.id, signInsPerHour - 1);
    expect((await signInByPasskey(site.browser(), ann.device)).status).toBe(200);
    const page = site.browser();
    const { body: options } = await postAs(page, askForPasskey);
    const refused = await page.ask('POST', signInWithPasskey.path, {
      body: { response: ann.device.get(options) },
    });
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([429, 'sign_in.too_often']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_500);
    expect(await page.whoAmI()).toBe('sign_in.needed');
    const before = (await challenges()).length;
    for (let time = 0; time < 3; time += 1)
      expect((await signInByPasskey(page, ann.device)).status).toBe(429);
    expect(await challenges()).toHaveLength(before);
    expect((await signInByPasskey(site.browser(), bob.device)).status).toBe(200);
    t.clock.advance(hourMs);
    expect((await signInByPasskey(page, ann.device)).status).toBe(200);
  });

  test('refuses sign-ins through a provider in every process', async () => {
    const ann = await site.join();
    await countSignIns(ann.id, signInsPerHour);
    expect(await site.tryToSignIn()).toBe('sign_in.too_often');
    const otherProcess = await site.startProcess();
    const page = createTestBrowser(otherProcess);
    expect(await site.resultOf(page, await page.signIn({ way: 'acme' }))).toBe('sign_in.too_often');
    await otherProcess.close();
  });

  test("does not count failed sign-ins with the person's passkey", async () => {
    const ann = await joinWithPasskey();
    await countSignIns(ann.id, signInsPerHour - 1);
    const others = site.browser();
    for (let time = 0; time < 5; time += 1)
      await signInByPasskey(others, ann.device, { signature: randomBytes(70).toString('base64url') });
    expect((await signInByPasskey(site.browser(), ann.device)).status).toBe(200);
  });
});

describe('limit of sessions per person', () => {
  async function fillSessions(personId: string): Promise<string[]> {
    const rows = await t.select<{ id: string }>(
      `insert into sessions (id_hash, id, person_id, issuer, subject, way, created_at, seen_at, address, user_agent, refreshed_at)
       select sha256((random()::text || n)::bytea), gen_random_uuid(), person_id, issuer, subject, way, $2, $2::timestamptz - n * interval '1 minute',
         '203.0.113.7', 'Firefox', $2
       from identities, generate_series(1, $3) n where person_id = $1 returning id, seen_at`,
      [personId, new Date(t.clock.now() - hourMs), sessionsMaximum],
    );
    return rows.map(({ id }) => id);
  }
  const sessionsOf = async (personId: string) =>
    (
      await t.select<{ id: string }>(
        'select id from sessions where person_id = $1 order by seen_at desc, created_at desc',
        [personId],
      )
    ).map(({ id }) => id);

  test.each<[string, () => Promise<{ id: string; signIn: (page: TestBrowser) => Promise<unknown> }>]>([
    [
      'a passkey',
      async () => {
        const { id, device } = await joinWithPasskey();
        return { id, signIn: async (page) => (await signInByPasskey(page, device)).status };
      },
    ],
    [
      'a code',
      async () => {
        const { id, email } = await joinWithPasskey();
        return { id, signIn: async (page) => (await signInByCode(page, email)).status };
      },
    ],
    [
      'a provider',
      async () => {
        const { id } = await site.join();
        return {
          id,
          signIn: async (page) => ((await page.signIn({ way: 'acme' })) === homePath ? 200 : 'refused'),
        };
      },
    ],
  ])('a sign-in by %s ends the least recently used session, with an audit row', async (_method, join) => {
    const { id, signIn } = await join();
    await t.select('delete from sessions where person_id = $1', [id]);
    const before = await fillSessions(id);
    const page = site.browser();
    expect(await signIn(page)).toBe(200);
    const after = await sessionsOf(id);
    expect(after).toHaveLength(sessionsMaximum);
    expect(after.slice(1)).toEqual(before.slice(0, -1));
    expect(await page.whoAmI()).toContain('@example.com');
    expect(
      await t.select(
        `select actor_id, detail ->> 'why' as why from audit_log where action = 'session.ended' and target_id = $1`,
        [id],
      ),
    ).toEqual([{ actor_id: null, why: 'too many sessions' }]);
  });

  test('ending all other sessions waits for a concurrent sign-in', async () => {
    const { id, device } = await joinWithPasskey();
    const page = site.browser();
    await signInByPasskey(page, device);
    const ended = await t.database.transaction(async (transaction) => {
      await lockPeople(transaction, [id]);
      const ending = postAs(page, endOtherSessions);
      await waitForLocks(t, 1);
      return { ending };
    });
    expect((await ended.ending).body).toEqual({ ended: 1 });
  });
});
