/** Sign-in through the provider of an organization (R8). */
import { getConfiguration } from '@vestibule/contract/configuration';
import {
  getOrganizationInvitationLink,
  inviteToOrganization,
} from '@vestibule/contract/invitations/in-organization';
import { getInvitationLinkState } from '@vestibule/contract/invitations/link';
import { changeOrganization, deleteOrganization } from '@vestibule/contract/organizations';
import { deleteConnection, testConnection } from '@vestibule/contract/organizations/connection';
import { changeRole, disablePerson } from '@vestibule/contract/people';
import { listSessions, confirmSignIn } from '@vestibule/contract/sign-in/sessions';
import { startSignIn } from '@vestibule/contract/sign-in';
import { describe, expect, test } from 'vitest';
import { homePath } from '../../../test/sign-in/test-oidc-site.ts';

import { claims, codeOf, setUpConnections, type ConnectionOrganization } from './test-connections.ts';

const {
  site,
  admin,
  createOrganizationWithDomain,
  put,
  change,
  createActive,
  signIn,
  membersOf,
  enrol,
  actionsOf,
} = await setUpConnections();

describe('signing in through a connection', () => {
  test('the domain of the address selects the provider, whether the address is registered or not', async () => {
    const { domain, method, provider, slug } = await createActive();
    for (const address of [`manager@${domain}`, `unknown@${domain.toUpperCase()}`]) {
      const response = await site.browser().ask('POST', startSignIn.path, { body: { address } });
      expect(response.json()).toMatchObject({
        way: { id: method, kind: 'oidc', name: `The ${slug}` },
        url: expect.stringContaining(provider.issuer) as string,
      });
    }
    const unknown = await site.browser().ask('POST', startSignIn.path, { body: { address: 'a@b.example' } });
    expect(unknown.json()).toMatchObject({ code: 'sign_in.way_unknown' });
  });

  test('a member with an account is linked by the address, and later found by the subject', async () => {
    const organization = await createActive();
    const { domain, manager } = organization;
    const email = `manager@${domain}`;
    const { browser, result } = await signIn(organization, email);
    expect(result).toBe(homePath);
    expect(await browser.whoAmI()).toBe(email);
    expect(await site.t.auditOf(manager.id, 'identity.added')).toHaveLength(1);
    const renamed = await signIn(organization, `renamed@${domain}`, { sub: `sub of ${email}` });
    expect(await renamed.browser.whoAmI()).toBe(email);
    const sessions = await renamed.browser.ask('GET', listSessions.path);
    expect(sessions.json<{ rows: { way: string }[] }>().rows[0]?.way).toBe(`The ${organization.slug}`);
  });

  test('a new user joins only if the domain admits people and a seat is free', async () => {
    const organization = await createActive();
    const email = `new@${organization.domain}`;
    expect((await signIn(organization, email)).result).toBe('person.not_invited');
    await enrol(organization);
    const { params } = organization;
    await site.t.callAs(admin, changeOrganization, { params, body: { seatLimit: 1 } });
    expect((await signIn(organization, email)).result).toBe('organization.full');
    await site.t.callAs(admin, changeOrganization, { params, body: { seatLimit: 2 } });
    expect((await signIn(organization, email)).result).toBe(homePath);
    expect(await membersOf(organization)).toContain(email);
  });

  test('an invited user joins by the invitation, whose page names the provider', async () => {
    const organization = await createActive();
    const { params, domain, manager, method } = organization;
    const email = `invited@${domain}`;
    const invited = await site.t.callAs(manager, inviteToOrganization, { params, body: { email } });
    const { link } = (
      await site.t.callAs(manager, getOrganizationInvitationLink, {
        params: { ...params, invitationId: invited.body.id },
      })
    ).body;
    const code = new URL(link).searchParams.get('i') as string;
    const state = await site.t.call(getInvitationLinkState, { body: { code } });
    expect(state.body).toMatchObject({ state: 'open', connection: { id: method } });
    expect((await signIn(organization, email, { invitation: code })).result).toBe(homePath);
    expect(await membersOf(organization)).toContain(email);
  });

  test.each([
    ['of another domain', 'ann@elsewhere.example', {}, 'connection.address_outside'],
    ['of a subdomain', 'ann@sub.DOMAIN', {}, 'connection.address_outside'],
    ['that is unverified', 'ann@DOMAIN', { email_verified: false }, 'connection.address_missing'],
    ['that is missing', 'ann@DOMAIN', { email: undefined }, 'connection.address_missing'],
  ])('an address %s is refused and logged', async (_, address, more, code) => {
    const organization = await createActive();
    await enrol(organization);
    const email = address.replace('DOMAIN', organization.domain);
    expect((await signIn(organization, email, { claims: more })).result).toBe(code);
    expect(await actionsOf(organization)).toContain('connection.address_refused');
  });

  test('a provider that does not report the verification is trusted within the domains', async () => {
    const organization = await createActive();
    const { result } = await signIn(organization, `manager@${organization.domain}`, {
      claims: { email_verified: undefined },
    });
    expect(result).toBe(homePath);
  });

  test('the address of the id token counts if userinfo refuses the access token, as that of AD FS does', async () => {
    const organization = await createActive();
    organization.provider.next.instead = (request, response) => {
      if (request.url !== '/me') return false;
      response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
      return true;
    };
    const { result } = await signIn(organization, `manager@${organization.domain}`, {
      claims: { email_verified: undefined },
    });
    expect(result).toBe(homePath);
  });

  test('an account of AD FS without an address is recognized by its user principal name', async () => {
    const organization = await createActive('/adfs');
    const email = `manager@${organization.domain}`;
    const signInAs = (upn: string) => {
      organization.provider.forgeIdToken((given) => ({ ...given, upn }));
      return signIn(organization, email, { claims: { email: undefined, email_verified: undefined } });
    };
    const { browser, result } = await signInAs(email);
    expect([result, await browser.whoAmI()]).toEqual([homePath, email]);
    expect((await signInAs('manager@elsewhere.example')).result).toBe('connection.address_outside');
  });

  test('an address that only userinfo has, and reports as unverified, is refused', async () => {
    const organization = await createActive();
    organization.provider.forgeIdToken(({ email: _email, email_verified: _verified, ...given }) => given);
    const { result } = await signIn(organization, `manager@${organization.domain}`, {
      claims: { email_verified: false },
    });
    expect(result).toBe('connection.address_missing');
  });

  test('a known subject with an address that left the domains is refused', async () => {
    const organization = await createActive();
    const email = `manager@${organization.domain}`;
    await signIn(organization, email);
    const { result } = await signIn(organization, 'ann@elsewhere.example', { sub: `sub of ${email}` });
    expect(result).toBe('connection.address_outside');
  });

  test('a linked account whose domain has moved to another organization is refused', async () => {
    const organization = await createActive();
    const email = `manager@${organization.domain}`;
    await signIn(organization, email);
    const changed = await site.t.scalars<string>`
      update people set email = 'moved@bolt.example', email_canonical = 'moved@bolt.example'
      where id = ${organization.manager.id} returning email`;
    expect(changed).toEqual(['moved@bolt.example']);
    const { result } = await signIn(organization, `other@${organization.domain}`, { sub: `sub of ${email}` });
    expect(result).toBe('connection.address_outside');
  });

  test.each([
    ['auth_time', 1e308],
    ['sid', '\0'],
  ])('an impossible value of %s is ignored', async (claim, value) => {
    const organization = await createActive();
    organization.provider.forgeIdToken((given) => ({ ...given, [claim]: value }));
    const { browser, result } = await signIn(organization, `manager@${organization.domain}`);
    expect([result, await browser.whoAmI()]).toEqual([homePath, organization.manager.email]);
  });

  test('a provider without auth_time confirms with a mailed code', async () => {
    const organization = await createActive();
    const email = `manager@${organization.domain}`;
    const { browser } = await signIn(organization, email);
    organization.provider.forgeIdToken(({ auth_time: _authTime, ...given }) => given);
    organization.provider.setNextAccount(`sub of ${email}`, claims(email));
    const start = await browser.ask('POST', confirmSignIn.path, { body: { returnTo: '/layout/profile' } });
    const end = await browser.finish(start.json<{ url: string }>().url);
    expect((await browser.outcome(end)).kind).toBe('proof');
    const attempt = browser.attemptOf(end);
    const code = (await site.t.signInCodeOf(attempt)) as string;
    expect(await browser.enterCode(attempt, code)).toBe('/layout/profile');
  });

  test('administrators of the site are not signed in, nor those invited to be one', async () => {
    const organization = await createActive();
    const { domain } = organization;
    await enrol(organization);
    await site.t.join(`root@${domain}`, 'admin');
    expect((await signIn(organization, `root@${domain}`)).result).toBe('connection.site_administrator');
    await site.t.invitationTo(`future@${domain}`, { role: 'admin' });
    expect((await signIn(organization, `future@${domain}`)).result).toBe('connection.site_administrator');
  });

  test('a session ends when its person becomes an administrator of the site', async () => {
    const organization = await createActive();
    const { manager } = organization;
    const { browser } = await signIn(organization, `manager@${organization.domain}`);
    expect(await browser.whoAmI()).toBe(manager.email);
    await site.t.callAs(admin, changeRole, { params: { personId: manager.id }, body: { role: 'admin' } });
    expect(await browser.whoAmI()).toBe('sign_in.needed');
  });

  test('an account that is no member is not taken over, also if the domain admits new people', async () => {
    const organization = await createActive();
    await enrol(organization);
    const email = `other@${organization.domain}`;
    await site.t.join(email);
    expect((await signIn(organization, email)).result).toBe('connection.other_account');
    expect(await membersOf(organization)).not.toContain(email);
  });

  test('a disabled person is refused', async () => {
    const organization = await createActive();
    const email = `gone@${organization.domain}`;
    await enrol(organization);
    await signIn(organization, email);
    const personId = await site.t.scalar<string>`select id from people where email = ${email}`;
    await site.t.callAs(admin, disablePerson, { params: { personId } });
    expect((await signIn(organization, email)).result).toBe('person.disabled');
  });

  test('the provider of one organization cannot assert addresses of another', async () => {
    const [a, b] = [await createActive(), await createActive()];
    await enrol(b);
    expect((await signIn(a, b.manager.email)).result).toBe('connection.address_outside');
    expect((await signIn(a, `new@${b.domain}`)).result).toBe('connection.address_outside');
  });

  test('an answer of another connection is refused', async () => {
    const [a, b] = [await createActive(), await createActive()];
    a.provider.setNextAccount('mixed up', claims(`manager@${a.domain}`));
    const browser = site.browser();
    const answered = await browser.visitProvider(await browser.start({ way: a.method }));
    const end = await browser.ask('GET', answered.replace(a.method, b.method));
    expect(await site.resultOf(browser, String(end.headers.location))).toBe('sign_in.expired');
    expect(await browser.whoAmI()).toBe('sign_in.needed');
  });

  test.each([
    ['GET', '/auth/org-%00/callback', 404],
    ['POST', '/auth/org-%00/callback', 404],
    ['POST', '/auth/org-%00/backchannel-logout', 404],
    ['GET', '/api/users/me/organizations/%00', 400],
    ['POST', '/api/users/me/organizations/%00/sign-in', 400],
    ['POST', '/api/users/me/organizations/%00/recover', 400],
    ['DELETE', '/api/organizations/:organizationId/domains/%00', 400],
  ] as const)(
    '%s %s, which no text in the database equals, is answered with %d',
    async (method, url, status) => {
      const { id, manager } = await createOrganizationWithDomain();
      const response = await site.t.app.inject({
        method,
        url: url.replace(':organizationId', id),
        headers: { authorization: `Bearer ${manager.token}` },
      });
      expect(response.statusCode).toBe(status);
    },
  );

  test('metadata that changes its issuer is refused', async () => {
    const organization = await createOrganizationWithDomain();
    await put(organization);
    organization.provider.next.rewrite = (path, body) =>
      path.startsWith('/.well-known') ? { ...body, issuer: 'https://evil.example' } : body;
    const { manager, params } = organization;
    const response = await site.t.callAs(manager, testConnection, { params, body: {} });
    expect(codeOf(response)).toBe('sign_in.provider_answer');
  });

  test.each(['javascript:alert(1)//', 'data:text/html,x', 'not an address'])(
    'metadata with the authorization endpoint %s is refused',
    async (address) => {
      const organization = await createOrganizationWithDomain();
      await put(organization);
      organization.provider.next.rewrite = (path, body) =>
        path.startsWith('/.well-known') ? { ...body, authorization_endpoint: address } : body;
      const { manager, params } = organization;
      const response = await site.t.callAs(manager, testConnection, { params, body: {} });
      expect(codeOf(response)).toBe('sign_in.provider_answer');
    },
  );

  test('a suspended organization signs no one in, and its domain selects no provider', async () => {
    const organization = await createActive();
    const { params, domain } = organization;
    await site.t.callAs(admin, changeOrganization, { params, body: { status: 'suspended' } });
    expect((await signIn(organization, `manager@${domain}`)).result).toBe('organization.suspended');
    const response = await site.browser().ask('POST', startSignIn.path, { body: { address: `a@${domain}` } });
    expect(response.json()).toMatchObject({ code: 'sign_in.way_unknown' });
  });

  test.each([
    ['deactivated', (one: ConnectionOrganization) => change(one, { isActive: false })],
    [
      'removed',
      ({ manager, params }: ConnectionOrganization) => site.t.callAs(manager, deleteConnection, { params }),
    ],
    [
      'removed with its organization',
      ({ params }: ConnectionOrganization) => site.t.callAs(admin, deleteOrganization, { params }),
    ],
    [
      'no longer allowed by the site',
      ({ params }: ConnectionOrganization) =>
        site.t.callAs(admin, changeOrganization, { params, body: { singleSignOn: false } }),
    ],
  ])('sessions end when the connection is %s', async (_, act) => {
    const organization = await createActive();
    const { browser } = await signIn(organization, `manager@${organization.domain}`);
    expect(await browser.whoAmI()).toBe(organization.manager.email);
    await act(organization);
    expect(await browser.whoAmI()).toBe('sign_in.needed');
  });

  test('a sign-in that was started before the deactivation starts no session', async () => {
    const organization = await createActive();
    organization.provider.setNextAccount('slow', claims(`manager@${organization.domain}`));
    const browser = site.browser();
    const answered = await browser.visitProvider(await browser.start({ way: organization.method }));
    await change(organization, { isActive: false });
    const end = await browser.ask('GET', answered);
    expect(await site.resultOf(browser, String(end.headers.location))).toBe('sign_in.expired');
    expect(await browser.whoAmI()).toBe('sign_in.needed');
  });
});

test('the address decides about the sign-in method only while a connection is active', async () => {
  const knowsDomains = async () => {
    site.t.clock.advance(120_000);
    return (await site.t.call(getConfiguration, {})).body.KnowsDomains;
  };
  await createActive();
  expect(await knowsDomains()).toBe(true);
  await site.t.select(
    'update organization_connections set is_active = false, is_required = false, recovery_code_hash = null',
  );
  expect(await knowsDomains()).toBe(false);
});
