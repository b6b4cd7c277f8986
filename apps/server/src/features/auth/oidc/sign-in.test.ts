/** Sign-in through an OpenID Provider (statements M2, M4; security 10, 51, 55, 56, 59). */
import { createOrganization } from '@vestibule/contract/organizations';
import { changeSettings, getSettings } from '@vestibule/contract/settings';
import { disablePerson, removePerson } from '@vestibule/contract/people';
import { describe, expect, test } from 'vitest';
import { homePath, setUpOidcSite } from '../../../test/sign-in/test-oidc-site.ts';

const site = await setUpOidcSite({ environment: { OIDC_ACME_EMAIL: 'verified' } });
const admin = await site.t.join('admin@example.com', 'admin');

const claims = (email: string) => ({ email, email_verified: true, name: 'Ann' });
const peopleOf = (email: string) =>
  site.t.select<{ id: string; role: string; issuer: string; subject: string }>`
    select person.id, role, issuer, subject from people person join identities on person_id = person.id
    where person.email = ${email} order by issuer`;
const remove = (personId: string) =>
  site.t.callAs(admin, removePerson, { params: { personId }, query: { files: 'delete' } });
test('a sign-in at another address of the site is started again at PUBLIC_URL, since the provider returns there', async () => {
  const { code } = await site.t.invitationTo(site.newAddress());
  const start = async (origin: string, body: object) => {
    const response = await site
      .browser()
      .ask('POST', '/api/sign-in/start', { body: { way: 'acme', ...body }, headers: { origin } });
    return [response.json<{ url: string }>().url, response.headers['set-cookie']];
  };
  for (const origin of ['https://www.portal.example.com', 'http://portal.example.com']) {
    expect(await start(origin, { returnTo: '/layout/people?sort=name' })).toEqual([
      'https://portal.example.com/layout/people?sort=name',
      undefined,
    ]);
    expect(await start(origin, { invitation: code })).toEqual([
      `https://portal.example.com/signup?i=${code}`,
      undefined,
    ]);
  }
  const [url] = await start('https://portal.example.com', {});
  expect(url).toContain(site.acme.issuer);
});

describe('redeeming an invitation', () => {
  test('an invited user signs in through the link: the address is sent as a hint, and sign-up is requested', async () => {
    const email = site.newAddress();
    const { id, code } = await site.t.invitationTo(email);
    site.acme.setNextAccount('newcomer', claims(email));
    const browser = site.browser();
    expect(
      await browser.signIn({
        way: 'acme',
        invitation: code,
        returnTo: '/attachment?sort=name',
        language: 'de',
      }),
    ).toBe('/attachment?sort=name');
    expect(site.acme.next.seen.at(-1)).toMatchObject({
      prompt: 'create',
      params: {
        login_hint: email,
        ui_locales: 'de',
        scope: 'openid email profile',
        code_challenge_method: 'S256',
      },
    });
    expect(await browser.whoAmI()).toBe(email);
    const [person] = await peopleOf(email);
    expect(person).toMatchObject({ role: 'member', issuer: site.acme.issuer, subject: 'newcomer' });
    expect(await site.t.invitationState(id)).toEqual({ status: 'redeemed', redeemed_by: person?.id });
    expect(await site.t.auditOf(id, 'invitation.redeemed')).toMatchObject([{ actor_id: person?.id }]);
    expect(await site.t.select`select from sign_ins where person_id = ${person?.id}`).toHaveLength(1);
  });

  test('an invited user signs in without the link, by a verified address', async () => {
    const email = site.newAddress();
    await site.t.invitationTo(email, { role: 'admin' });
    site.acme.setNextAccount('without link', claims(email));
    const browser = site.browser();
    expect(await browser.signIn({ way: 'acme' })).toBe(homePath);
    expect(await peopleOf(email)).toMatchObject([{ role: 'admin' }]);
  });

  test('an account with another address is refused: the error names both addresses, and the invitation stays pending', async () => {
    const [invited, used] = [site.newAddress(), site.newAddress()];
    const { id, code } = await site.t.invitationTo(invited);
    site.acme.setNextAccount('wrong account', claims(used));
    const browser = site.browser();
    const end = await browser.signIn({ way: 'acme', invitation: code });
    expect(await browser.outcome(end)).toMatchObject({
      kind: 'problem',
      code: 'sign_in.wrong_account',
      values: { invited, used },
      way: { id: 'acme', name: 'Acme' },
      canRetry: true,
    });
    expect(await browser.whoAmI()).toBe('sign_in.needed');
    expect((await site.t.invitationState(id))?.status).toBe('pending');
    expect(await site.t.auditOf(id, 'invitation.refused')).toMatchObject([
      { detail: { reason: 'another e-mail' } },
    ]);
  });

  test('a member with another address is refused at the link of an organization, and enters without the link', async () => {
    const [invited, used] = [site.newAddress(), site.newAddress()];
    await site.t.invitationTo(used);
    site.acme.setNextAccount('other member', claims(used));
    expect(await site.browser().signIn({ way: 'acme' })).toBe(homePath);
    const organization = await site.t.callAs(admin, createOrganization, {
      body: { name: 'Acme', slug: 'acme' },
    });
    const { id, code } = await site.t.invitationTo(invited);
    await site.t.select`
      update invitations set organization_id = ${organization.body.id}, organization_role_id = 'member' where id = ${id}`;
    const browser = site.browser();
    expect(await browser.outcome(await browser.signIn({ way: 'acme', invitation: code }))).toMatchObject({
      code: 'sign_in.wrong_account',
      values: { invited, used },
    });
    expect(await browser.whoAmI()).toBe('sign_in.needed');
    expect(await site.t.auditOf(id, 'invitation.refused')).toHaveLength(1);
    expect(await browser.signIn({ way: 'acme' })).toBe(homePath);
  });

  test('no hint is sent with the choice of another account', async () => {
    const email = site.newAddress();
    const { code } = await site.t.invitationTo(email);
    site.acme.setNextAccount('another choice', claims(email));
    await site.browser().signIn({ way: 'acme', invitation: code, chooseAccount: true });
    const { prompt, params } = site.acme.next.seen.at(-1) ?? {};
    expect([prompt, params?.['login_hint']]).toEqual(['select_account', undefined]);
  });

  test.each([
    ['Ann Berg', { name: ' ', given_name: 'Ann', family_name: 'Berg' }],
    ['Ann Berg', { name: 'ann@example.com', given_name: 'Ann', family_name: 'Berg' }],
    ['Berg', { family_name: 'Berg' }],
    ['Name in the invitation', { name: 'ann@example.com' }],
    ['Name in the invitation', { name: ['Ann'] }],
  ])('the name of the person is "%s" for the claims %j', async (expected, more) => {
    const email = site.newAddress();
    const { id, code } = await site.t.invitationTo(email);
    await site.t.select`update invitations set name = 'Name in the invitation' where id = ${id}`;
    site.acme.setNextAccount(`named ${email}`, { email, email_verified: true, ...more });
    expect(await site.browser().signIn({ way: 'acme', invitation: code })).toBe(homePath);
    const people = await site.t.select`select display_name from people where email = ${email}`;
    expect(people).toEqual([{ display_name: expected }]);
  });

  test.each([
    ['absent', {}],
    ['false', { email_verified: false }],
    ['"false"', { email_verified: 'false' }],
    ['0', { email_verified: 0 }],
    ['1', { email_verified: 1 }],
    ['null', { email_verified: null }],
    ['a list', { email_verified: [true] }],
    ['false, whatever xms_edov says', { email_verified: false, xms_edov: true }],
    ['absent and xms_edov false', { xms_edov: false }],
  ])(
    'an address whose email_verified is %s does not redeem an invitation (security 59)',
    async (_what, more) => {
      const email = site.newAddress();
      const { code } = await site.t.invitationTo(email);
      const sub = `unproven ${email}`;
      site.acme.setNextAccount(sub, { email, name: 'Ann' });
      site.acme.next.rewrite = (path, body) =>
        path === '/me' ? { sub: body['sub'], email, name: 'Ann', ...more } : body;
      expect(await site.tryToSignIn({ way: 'acme', invitation: code })).toBe('sign_in.address_unproven');
      expect(await site.tryToSignIn()).toBe('sign_in.address_unproven');
      expect(await peopleOf(email)).toEqual([]);
    },
  );

  test.each([
    ['true', { email_verified: true }],
    ['"true"', { email_verified: 'true' }],
    ['"True"', { email_verified: 'True' }],
    ['absent and xms_edov true', { xms_edov: true }],
    ['absent and xms_edov 1', { xms_edov: 1 }],
  ])('an address whose email_verified is %s in userinfo alone redeems an invitation', async (_what, more) => {
    const email = site.newAddress();
    await site.t.invitationTo(email);
    site.acme.setNextAccount(`proven ${email}`, { email });
    site.acme.next.rewrite = (path, body) => (path === '/me' ? { sub: body['sub'], email, ...more } : body);
    expect(await site.browser().signIn({ way: 'acme' })).toBe(homePath);
  });

  test.each([
    ['all claims', {}],
    ['the name', { email_verified: true }],
  ])('a new user has the name of userinfo if only userinfo has %s', async (what, more) => {
    const email = site.newAddress();
    await site.t.invitationTo(email);
    site.acme.setNextAccount(`${what} in userinfo`, { ...more, ...('email_verified' in more && { email }) });
    site.acme.next.rewrite = (path, body) =>
      path === '/me' ? { sub: body['sub'], email, email_verified: true, name: 'Ann Userinfo' } : body;
    expect(await site.browser().signIn({ way: 'acme' })).toBe(homePath);
    const people = await site.t.select`select display_name from people where email = ${email}`;
    expect(people).toEqual([{ display_name: 'Ann Userinfo' }]);
  });

  test('the first of several addresses, as AD FS sends them in a list, redeems an invitation', async () => {
    const email = site.newAddress();
    await site.t.invitationTo(email);
    site.acme.setNextAccount(`several of ${email}`, {
      email: [email, site.newAddress()],
      email_verified: true,
    });
    expect(await site.browser().signIn({ way: 'acme' })).toBe(homePath);
  });

  test('an account without an address does not redeem an invitation', async () => {
    const { code } = await site.t.invitationTo(site.newAddress());
    site.acme.setNextAccount('nameless', {});
    expect(await site.tryToSignIn({ way: 'acme', invitation: code })).toBe('sign_in.address_unproven');
  });
});

describe('an identity of issuer and subject', () => {
  test('another account with the address of a person is refused, at the same provider and at another one', async () => {
    const { email } = await site.join();
    for (const [methodId, provider] of [
      ['acme', site.acme],
      ['other', site.other],
    ] as const) {
      provider.setNextAccount(`another account ${methodId}`, claims(email));
      expect(await site.tryToSignIn({ way: methodId })).toBe('person.account_replaced');
    }
    expect(await peopleOf(email)).toHaveLength(1);
  });

  test('an account whose address changed at the provider signs in the same person, and the change is recorded in the audit log', async () => {
    const { id, email, sub, browser } = await site.join();
    const changed = site.newAddress();
    site.acme.setNextAccount(sub, claims(changed));
    expect(await browser.signIn({ way: 'acme' })).toBe(homePath);
    expect(await browser.whoAmI()).toBe(email);
    expect(await site.t.auditOf(id, 'person.provider_address_changed')).toMatchObject([
      { detail: { before: email, after: changed } },
    ]);
  });

  test('a known user signs in although userinfo fails or the address cannot be stored', async () => {
    const { sub, browser } = await site.join();
    site.acme.next.instead = ({ url }, response) => {
      if (url !== '/me') return false;
      response.writeHead(500).end();
      return true;
    };
    expect(await browser.signIn({ way: 'acme' })).toBe(homePath);
    // PostgreSQL cannot store NUL.
    site.acme.setNextAccount(sub, claims('no database\0holds@example.com'));
    expect(await browser.signIn({ way: 'acme' })).toBe(homePath);
  });

  test('a person who is disabled or removed during the sign-in is refused', async () => {
    const disable = (personId: string) =>
      site.t.callAs(admin, disablePerson, { params: { personId }, query: {} });
    for (const [change, outcome] of [
      [disable, { code: 'person.disabled', canRetry: false }],
      [remove, { code: 'person.not_invited' }],
    ] as const) {
      const { id, browser } = await site.join();
      const back = await browser.visitProvider(await browser.start({ way: 'acme' }));
      await change(id);
      const end = String((await browser.ask('GET', back)).headers.location);
      expect(await browser.outcome(end)).toMatchObject(outcome);
    }
  });
});

describe('domain auto-join', () => {
  const open = async (rules: string[]) => {
    const { version } = (await site.t.callAs(admin, getSettings)).body.signInDomains;
    return site.t.callAs(admin, changeSettings, {
      body: { signInDomains: rules, versions: { signInDomains: version } },
    });
  };

  test('users of an auto-join domain join as members through its provider, with an audit entry', async () => {
    expect((await open(['Acme.example acme open'])).status).toBe(200);
    site.acme.setNextAccount('employee', claims('eve@acme.example'));
    expect(await site.browser().signIn({ address: 'eve@acme.example' })).toBe(homePath);
    expect(site.acme.next.seen.at(-1)?.params).toMatchObject({ login_hint: 'eve@acme.example' });
    const [eve] = await peopleOf('eve@acme.example');
    expect(eve).toMatchObject({ role: 'member' });
    expect(await site.t.auditOf(eve?.id as string, 'person.admitted')).toMatchObject([
      { actor_id: eve?.id, detail: { domain: 'acme.example', way: 'acme' } },
    ]);
  });

  test.each<[string, () => Promise<unknown>, string, object]>([
    ['through another provider', () => open(['acme.example other open']), 'fay@acme.example', {}],
    [
      'with an unverified address',
      () => open(['acme.example acme open']),
      'fay@acme.example',
      { email_verified: false },
    ],
    ['from a subdomain', () => open(['acme.example acme open']), 'fay@more.acme.example', {}],
    ['while the rule only selects the provider', () => open(['acme.example acme']), 'fay@acme.example', {}],
  ])('refuses a user %s', async (_what, prepare, email, more) => {
    expect(await prepare()).toMatchObject({ status: 200 });
    site.acme.setNextAccount(`fay ${email}`, { ...claims(email), ...more });
    expect(await site.tryToSignIn()).toMatch(/not_invited|unproven/);
    expect(await peopleOf(email)).toEqual([]);
  });

  test('refuses another account with the address of a member (security 10)', async () => {
    await open(['acme.example acme open']);
    const { email } = await site.t.join('gus@acme.example');
    site.acme.setNextAccount('another account of gus', claims(email));
    expect(await site.tryToSignIn()).toBe('person.account_replaced');
    expect(await peopleOf(email)).toHaveLength(1);
  });

  test('refuses the additional account of a removed person, and every other account with the same verified address', async () => {
    await open(['acme.example acme open']);
    const person = await site.t.join('added@elsewhere.example');
    await site.t.select`
      insert into identities (issuer, subject, person_id, way, email, email_verified)
      values (${site.acme.issuer}, 'added', ${person.id}, 'acme', 'Added@acme.example', true), (${site.acme.issuer}, 'doubtful', ${person.id}, 'acme', 'boss@acme.example', false)`;
    await remove(person.id);
    const signInResultAs = async (subject: string, email: string) => {
      site.acme.setNextAccount(subject, claims(email));
      return site.tryToSignIn();
    };
    expect(await signInResultAs('added', 'married@acme.example')).toBe('person.not_invited');
    expect(await signInResultAs('created again', 'added@acme.example')).toBe('person.not_invited');
    // An unverified address of a removed person does not block others.
    expect(await signInResultAs('boss', 'boss@acme.example')).toBe(homePath);
    await site.t.invitationTo('added@acme.example');
    expect(await signInResultAs('added', 'added@acme.example')).toBe(homePath);
  });

  test.each([
    ['revoked', "status = 'revoked', revoked_at = now()", 'person.invitation_revoked'],
    ['expired', "expires_at = now() - interval '1 day'", 'person.invitation_expired'],
  ])('refuses a user whose invitation is %s', async (what, change, code) => {
    await open(['acme.example acme open']);
    const email = `${what}@acme.example`;
    const { id } = await site.t.invitationTo(email);
    await site.t.select(`update invitations set ${change} where id = $1`, [id]);
    site.acme.setNextAccount(what, claims(email));
    expect(await site.tryToSignIn()).toBe(code);
    expect(await peopleOf(email)).toEqual([]);
  });

  test('the settings refuse a rule with an unknown provider', async () => {
    expect(await open(['acme.example nowhere'])).toMatchObject({
      status: 400,
      body: { fields: { signInDomains: expect.anything() } },
    });
  });
});
