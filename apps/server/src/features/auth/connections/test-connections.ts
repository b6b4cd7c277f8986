/** Single sign-on of organizations (R8). The provider is real; DNS is that of the test. */
import { connectionMethodOf } from '../../../platform/config/sign-in-methods.ts';
import { listOrganizationActivity } from '@vestibule/contract/activity';
import {
  addMember,
  changeOrganization,
  createOrganization,
  listMembers,
} from '@vestibule/contract/organizations';
import {
  changeConnection,
  getConnection,
  putConnection,
  testConnection,
} from '@vestibule/contract/organizations/connection';
import { addDomain, changeDomain, verifyDomain } from '@vestibule/contract/organizations/domains';
import { openOrganization } from '@vestibule/contract/organizations/mine';
import { afterAll, beforeEach, expect } from 'vitest';
import { closeAfterTests } from '../../../test/test-close.ts';
import type { TestBrowser } from '../../../test/sign-in/test-browser.ts';
import {
  clientId,
  clientSecret,
  startTestOidcProvider,
  type TestOidcProvider,
} from '../../../test/sign-in/test-oidc-provider.ts';
import { createTestOidcSite, oidcPublicUrl } from '../../../test/sign-in/test-oidc-site.ts';

export const codeOf = (response: { body: unknown }) => (response.body as { code?: string }).code;

export const claims = (email: string) => ({ email, email_verified: true, name: 'Ann' });

async function createConnectionSite(environment: Record<string, string>) {
  /** TXT records by name. */
  const records = new Map<string, string[]>();
  const providers: TestOidcProvider[] = [];
  const site = closeAfterTests(
    await createTestOidcSite({
      environment: { PROVIDERS_ON_PRIVATE_ADDRESSES: 'yes', ...environment },
      app: { findTxtRecords: (name) => Promise.resolve(records.get(name) ?? []) },
    }),
  );
  const joined = await site.t.join('admin@example.com', 'admin');
  const admin = { ...joined, token: await site.t.recentTokenOf(joined) };
  beforeEach(() => {
    for (const { next } of providers) Object.assign(next, { error: null, rewrite: null, instead: null });
  });
  afterAll(async () => {
    for (const provider of providers) await provider.close();
  });

  let organizations = 0;

  /** An organization with a manager, a verified domain and a provider that is not connected yet; `path` is that of its issuer. */
  async function createOrganizationWithDomain(path = '') {
    const slug = `acme-${(organizations += 1)}`;
    const domain = `${slug}.example`;
    const { body } = await site.t.callAs(admin, createOrganization, { body: { name: `The ${slug}`, slug } });
    const params = { organizationId: body.id };
    await site.t.callAs(admin, changeOrganization, { params, body: { singleSignOn: true } });
    const person = await site.t.join(`manager@${domain}`);
    const manager = { ...person, token: await site.t.recentTokenOf(person) };
    await site.t.callAs(admin, addMember, { params, body: { personId: person.id, roleId: 'manager' } });
    const added = await site.t.callAs(manager, addDomain, { params, body: { domain } });
    records.set(added.body.recordName, [added.body.recordValue]);
    await site.t.callAs(manager, verifyDomain, { params: { ...params, domain } });
    const method = connectionMethodOf(body.id);
    const provider = await startTestOidcProvider({ way: method, publicUrl: oidcPublicUrl, path });
    providers.push(provider);
    return { id: body.id, slug, domain, params, manager, method, provider };
  }

  return { site, admin, createOrganizationWithDomain };
}

/** A site on which organizations can connect providers, and helpers for it. */
export async function setUpConnections(environment: Record<string, string> = {}) {
  const { site, admin, createOrganizationWithDomain } = await createConnectionSite(environment);
  type Organization = Awaited<ReturnType<typeof createOrganizationWithDomain>>;

  const put = ({ manager, params, provider }: Organization, changes: object = {}) =>
    site.t.callAs(manager, putConnection, {
      params,
      body: { issuer: provider.issuer, clientId, secret: clientSecret, ...changes },
    });
  const stateOf = async ({ manager, params }: Organization) =>
    (await site.t.callAs(manager, getConnection, { params })).body;
  const change = ({ manager, params }: Organization, body: object, token = manager.token) =>
    site.t.call(changeConnection, { token, params, body });

  /** Tests the connection as the manager would. Returns the path to which the callback redirects. */
  async function runTest(organization: Organization, email: string, browser = site.browser()) {
    const { manager, params, provider } = organization;
    provider.setNextAccount(`test of ${email}`, claims(email));
    const { cookies } = browser;
    const response = await site.t.app.inject({
      method: 'POST',
      url: testConnection.path.replace(':organizationId', params.organizationId),
      headers: { authorization: `Bearer ${manager.token}` },
      payload: { returnTo: '/layout/organization/acme/sign-in' },
    });
    const cookie = /^([^=]+)=([^;]*)/.exec([response.headers['set-cookie']].flat()[0] ?? '');
    cookies.set(cookie?.[1] as string, cookie?.[2] as string);
    return browser.finish(response.json<{ url: string }>().url);
  }

  async function createActive(issuerPath = '') {
    const organization = await createOrganizationWithDomain(issuerPath);
    await put(organization);
    await runTest(organization, `someone@${organization.domain}`);
    expect((await change(organization, { isActive: true })).body.connection).toMatchObject({
      isActive: true,
    });
    return organization;
  }

  /** Signs in through the connection. Returns the result and the browser. */
  async function signIn(
    { method, provider }: Organization,
    email: string,
    more: { sub?: string; claims?: object; invitation?: string; browser?: TestBrowser } = {},
  ) {
    const browser = more.browser ?? site.browser();
    provider.setNextAccount(more.sub ?? `sub of ${email}`, { ...claims(email), ...more.claims });
    const end = await browser.signIn({
      way: method,
      ...(more.invitation && { invitation: more.invitation }),
    });
    return { browser, result: await site.resultOf(browser, end) };
  }

  const membersOf = async ({ params }: Organization) =>
    (await site.t.callAs(admin, listMembers, { params })).body.rows.map(({ email }) => email);
  const enrol = ({ manager, params, domain }: Organization) =>
    site.t.callAs(manager, changeDomain, {
      params: { ...params, domain },
      body: { enrolment: 'automatic', roleId: 'member' },
    });
  const open = (browser: TestBrowser, { slug }: Organization) =>
    browser.ask('GET', openOrganization.path.replace(':slug', slug));
  const actionsOf = async ({ params }: Organization) =>
    (
      await site.t.callAs(admin, listOrganizationActivity, {
        params,
        query: { sort: 'at', direction: 'desc' },
      })
    ).body.rows.map(({ action }) => action);

  return {
    site,
    admin,
    createOrganizationWithDomain,
    put,
    stateOf,
    change,
    runTest,
    createActive,
    signIn,
    membersOf,
    enrol,
    open,
    actionsOf,
  };
}

export type ConnectionOrganization = Awaited<
  ReturnType<Awaited<ReturnType<typeof setUpConnections>>['createActive']>
>;
