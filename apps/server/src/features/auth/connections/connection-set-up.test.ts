/** Setting up single sign-on of an organization (R8). */
import { changeOrganization } from '@vestibule/contract/organizations';
import {
  checkConnection,
  connectionTexts,
  putConnection,
} from '@vestibule/contract/organizations/connection';
import { removeDomain } from '@vestibule/contract/organizations/domains';
import { describe, expect, test } from 'vitest';
import { clientId, clientSecret } from '../../../test/sign-in/test-oidc-provider.ts';
import { homePath, oidcPublicUrl } from '../../../test/sign-in/test-oidc-site.ts';

import { codeOf, setUpConnections } from './test-connections.ts';

const {
  site,
  admin,
  createOrganizationWithDomain,
  put,
  stateOf,
  change,
  runTest,
  createActive,
  signIn,
  actionsOf,
} = await setUpConnections();

describe('setting up a connection', () => {
  test('needs the consent of the site, a tested sign-in, and a verified domain', async () => {
    const organization = await createOrganizationWithDomain();
    const { params, domain, method } = organization;
    await site.t.callAs(admin, changeOrganization, { params, body: { singleSignOn: false } });
    expect(codeOf(await put(organization))).toBe('connection.not_allowed');
    await site.t.callAs(admin, changeOrganization, { params, body: { singleSignOn: true } });
    expect((await put(organization)).body).toMatchObject({
      connection: { issuer: organization.provider.issuer, clientId, isActive: false, testedAt: null },
      domains: [domain],
      registrations: [
        { use: 'redirect', address: `${oidcPublicUrl}/auth/${method}/callback` },
        { use: 'signed-out', address: `${oidcPublicUrl}/` },
        { use: 'backchannel-logout', address: `${oidcPublicUrl}/auth/${method}/backchannel-logout` },
      ],
    });
    expect(codeOf(await change(organization, { isActive: true }))).toBe('connection.not_tested');
    expect(await site.tryToSignIn({ way: method }).catch(String)).toContain('sign_in.way_unknown');

    const browser = site.browser();
    expect(await runTest(organization, `boss@${domain}`, browser)).toBe('/layout/organization/acme/sign-in');
    expect(await browser.whoAmI()).toBe('sign_in.needed');
    expect((await stateOf(organization)).connection).toMatchObject({ testedAs: `boss@${domain}` });
    await site.t.callAs(organization.manager, removeDomain, { params: { ...params, domain } });
    expect(codeOf(await change(organization, { isActive: true }))).toBe('connection.no_domain');
  });

  test('a test with an address outside the verified domains fails, and is logged', async () => {
    const organization = await createOrganizationWithDomain();
    await put(organization);
    const browser = site.browser();
    const end = await runTest(organization, 'boss@elsewhere.example', browser);
    expect(await browser.outcome(end)).toMatchObject({
      code: 'connection.address_outside',
      purpose: 'test',
      values: { email: 'boss@elsewhere.example' },
    });
    expect((await stateOf(organization)).connection).toMatchObject({ testedAt: null });
    expect(await actionsOf(organization)).toContain('connection.address_refused');
  });

  test.each([
    ['not an address', connectionTexts.issuerInvalid],
    ['https://login.example.com/?tenant=1', connectionTexts.issuerInvalid],
    ['https://login.microsoftonline.com/common/v2.0', connectionTexts.issuerOfAllTenants],
  ])('the issuer %s is refused', async (issuer, { message }) => {
    const organization = await createOrganizationWithDomain();
    const response = await put(organization, { issuer });
    expect(response.body).toMatchObject({ fields: { issuer: message } });
  });

  test('the address of the metadata is understood, and the secret is stored encrypted and never returned', async () => {
    const organization = await createOrganizationWithDomain();
    const issuer = organization.provider.issuer;
    const response = await put(organization, { issuer: ` ${issuer}/.well-known/openid-configuration ` });
    expect(response.body.connection?.issuer).toBe(issuer);
    expect(JSON.stringify(response.body)).not.toContain(clientSecret);
    const encryptedSecret = await site.t.scalar<Buffer>`
      select client_secret_sealed from organization_connections where organization_id = ${organization.id}`;
    expect(encryptedSecret.toString('latin1')).not.toContain(clientSecret);
  });

  test('an active connection keeps its issuer; a new secret is stored only if the provider accepts it', async () => {
    const organization = await createActive();
    expect(codeOf(await put(organization, { issuer: 'https://login.example.com' }))).toBe(
      'connection.active',
    );
    expect(codeOf(await put(organization, { secret: 'wrong' }))).toBe('connection.secret_refused');
    expect((await signIn(organization, `manager@${organization.domain}`)).result).toBe(homePath);
    expect((await put(organization)).body.connection).toMatchObject({ isActive: true });
  });

  test.each([{ issuer: 'http://127.0.0.1:9' }, { clientId: 'another' }])(
    'the stored secret is not used for %o',
    async (changes) => {
      const organization = await createOrganizationWithDomain();
      await put(organization);
      const response = await put(organization, { ...changes, secret: undefined });
      expect(response.body).toMatchObject({ fields: { secret: connectionTexts.secretMissing.message } });
      expect((await put(organization, { secret: undefined })).status).toBe(200);
    },
  );

  test('the check reports an unreachable provider, and credentials that are not accepted', async () => {
    const organization = await createOrganizationWithDomain();
    const { manager, params } = organization;
    const check = async () =>
      (await site.t.callAs(manager, checkConnection, { params })).body.findings.map(({ outcome }) => outcome);
    await put(organization);
    expect(await check()).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
    await put(organization, { secret: 'wrong' });
    expect(await check()).toEqual(['ok', 'ok', 'ok', 'ok', 'failed']);
    await put(organization, { issuer: 'http://127.0.0.1:9' });
    expect(await check()).toEqual(['failed']);
  });
});

test('managers cannot make the server send requests to private networks', async () => {
  const guarded = await site.startProcess({ PROVIDERS_ON_PRIVATE_ADDRESSES: '' });
  const organization = await createOrganizationWithDomain();
  const { manager, params } = organization;
  for (const issuer of ['https://127.0.0.1/', 'https://localhost', 'https://10.0.0.1', 'https://[::1]/'])
    expect(
      (
        await guarded.callAs(manager, putConnection, {
          params,
          body: { issuer, clientId, secret: clientSecret },
        })
      ).body,
    ).toMatchObject({ fields: { issuer: connectionTexts.issuerPrivate.message } });
  // Also for an address that has become private since it was entered.
  await put(organization);
  const { body } = await guarded.callAs(manager, checkConnection, { params });
  expect(body.findings).toMatchObject([{ outcome: 'failed' }]);
  await guarded.close();
});
