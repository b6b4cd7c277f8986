/** People none of whose sign-in methods works any more: they sign in with mailed codes. */
import { changeOrganization } from '@vestibule/contract/organizations';
import { changeRole } from '@vestibule/contract/people';
import { changePerson } from '@vestibule/contract/people/details';
import { requestCode } from '@vestibule/contract/sign-in/codes';
import { listIdentities, listIdentitiesOf } from '@vestibule/contract/sign-in/identities';
import { expect, test } from 'vitest';
import { createTestApp, type TestApp } from '../../../test/test-app.ts';
import { createTestBrowser } from '../../../test/sign-in/test-browser.ts';
import { homePath } from '../../../test/sign-in/test-oidc-site.ts';
import { setUpConnections, type ConnectionOrganization } from './test-connections.ts';

const { site, admin, change, createActive, enrol, signIn } = await setUpConnections({
  SIGN_IN_WITH: 'oidc,passkeys,b2c',
});
const { t } = site;

/** A member who has only signed in through the organization. */
async function createMember() {
  const organization = await createActive();
  await enrol(organization);
  const email = `ann@${organization.domain}`;
  const { browser, result } = await signIn(organization, email);
  expect(result).toBe(homePath);
  const personId = await t.scalar<string>`select id from people where email = ${email}`;
  return { organization, email, browser, params: { personId } };
}

/** Requests a code and enters it. Returns the path that opens; undefined if no code is mailed. */
async function signInByCode(address: string, app: TestApp = t) {
  const browser = createTestBrowser(app);
  const { attempt } = (await browser.ask('POST', requestCode.path, { body: { address } })).json<{
    attempt: string;
  }>();
  const code = await app.signInCodeOf(attempt);
  return code === undefined ? undefined : { browser, opened: await browser.enterCode(attempt, code) };
}

test.each<[string, (organization: ConnectionOrganization, personId: string) => Promise<unknown>]>([
  [
    'becomes an administrator of the site',
    (_, personId) => t.callAs(admin, changeRole, { params: { personId }, body: { role: 'admin' } }),
  ],
  [
    'has an organization that turns single sign-on off',
    (organization) => change(organization, { isActive: false }),
  ],
  [
    'has an organization that is suspended',
    ({ params }) => t.callAs(admin, changeOrganization, { params, body: { status: 'suspended' } }),
  ],
  [
    'has an organization that has lost the domain',
    ({ domain }) => t.select`update organization_domains set state = 'pending' where domain = ${domain}`,
  ],
  [
    'gets an address of another domain',
    (_, personId) =>
      t.callAs(admin, changePerson, { params: { personId }, body: { email: 'ann@new.example' } }),
  ],
])('a person who %s can sign in by a mailed code', async (_, lose) => {
  const { organization, email, params } = await createMember();
  expect(await signInByCode(email)).toBeUndefined();
  await lose(organization, params.personId);
  const address = await t.scalar<string>`select email from people where id = ${params.personId}`;
  const again = await signInByCode(address);
  expect([again?.opened, await again?.browser.whoAmI()]).toEqual([homePath, address]);
  expect(await t.auditOf(params.personId, 'identity.added')).toMatchObject([{ detail: { way: 'passkeys' } }]);
  const own = await again?.browser.ask('GET', listIdentities.path);
  expect(own?.json()).toMatchObject({
    rows: [
      { way: organization.method, isOpen: false },
      { way: 'passkeys', isOpen: true, current: true },
    ],
  });
  expect((await signInByCode(address))?.opened).toBe(homePath);
  const { body } = await t.callAs(admin, listIdentitiesOf, { params });
  expect(body.rows).toHaveLength(2);
});

test('a person whose provider was removed from the configuration can sign in by a mailed code', async () => {
  const { email } = await site.join();
  expect(await signInByCode(email)).toBeUndefined();
  const process = await createTestApp({ sharedWith: t, environment: { SIGN_IN_WITH: 'passkeys,b2c' } });
  const again = await signInByCode(email, process);
  expect([again?.opened, await again?.browser.whoAmI()]).toEqual([homePath, email]);
  await process.close();
});

test('a session of an organization ends when its person gets an address of another domain', async () => {
  const { organization, email, browser, params } = await createMember();
  const changeTo = (address: string) => t.callAs(admin, changePerson, { params, body: { email: address } });
  const married = `ann.married@${organization.domain}`;
  await changeTo(married);
  expect(await browser.whoAmI()).toBe(married);
  await changeTo('ann@other.example');
  expect(await browser.whoAmI()).toBe('sign_in.needed');
  expect((await signIn(organization, email)).result).toBe('connection.address_outside');
});
