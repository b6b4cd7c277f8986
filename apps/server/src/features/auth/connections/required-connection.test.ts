/** Organizations that can be opened only after a sign-in through their provider (R8). */
import { addMember, listMembers } from '@vestibule/contract/organizations';
import {
  changeConnection,
  recoverOrganization,
  signInToOrganization,
} from '@vestibule/contract/organizations/connection';
import { openOrganization } from '@vestibule/contract/organizations/mine';
import { createOrganizationToken } from '@vestibule/contract/organizations/tokens';
import { describe, expect, test } from 'vitest';

import { codeOf, setUpConnections } from './test-connections.ts';

const { site, admin, stateOf, change, createActive, signIn, open, actionsOf } = await setUpConnections();

describe('an organization that requires its connection', () => {
  async function createRequired() {
    const organization = await createActive();
    const { browser } = await signIn(organization, `manager@${organization.domain}`);
    const response = await browser.ask(
      'PATCH',
      changeConnection.path.replace(':organizationId', organization.id),
      { body: { isRequired: true } },
    );
    const { recoveryCode } = response.json<{ recoveryCode: string }>();
    expect(recoveryCode).toMatch(/^(?:[2-9A-Z]{4}-){5}[2-9A-Z]{4}$/);
    return { organization, browser, recoveryCode };
  }

  test('a manager must have signed in through it, and administrators of the site need not', async () => {
    const organization = await createActive();
    expect(codeOf(await change(organization, { isRequired: true }))).toBe('connection.sign_in_first');
    expect((await change(organization, { isRequired: true }, admin.token)).body.recoveryCode).toBeTruthy();
  });

  test('opens only for sessions of the connection, and for its own access tokens', async () => {
    const organization = await createActive();
    const token = await site.t.callAs(organization.manager, createOrganizationToken, {
      params: organization.params,
      body: { name: 'Script', permissions: ['members.read'], days: 7 },
    });
    const { browser } = await signIn(organization, `manager@${organization.domain}`);
    await change(organization, { isRequired: true }, admin.token);
    const { params, manager } = organization;
    const members = (bearer: string) => site.t.call(listMembers, { token: bearer, params });
    expect(codeOf(await members(manager.token))).toBe('organization.single_sign_on_needed');
    expect((await members(token.body.token)).status).toBe(200);
    expect((await members(admin.token)).status).toBe(200);
    expect((await open(browser, organization)).json()).toMatchObject({ isSignInNeeded: false });
    const outside = await site.t.callAs(manager, openOrganization, { params: { slug: organization.slug } });
    expect(outside.body).toMatchObject({ isSignInNeeded: true, mayRecover: true, permissions: [] });
    const start = await site.t.callAs(manager, signInToOrganization, {
      params: { slug: organization.slug },
      body: {},
    });
    expect(start.body.url).toContain(organization.provider.issuer);
  });

  test('members with an address outside the domains and those who joined before are locked out as well', async () => {
    const organization = await createActive();
    const { params } = organization;
    const guest = await site.t.join(site.newAddress());
    await site.t.callAs(admin, addMember, { params, body: { personId: guest.id, roleId: 'manager' } });
    expect((await stateOf(organization)).membersOutside).toBe(1);
    await change(organization, { isRequired: true }, admin.token);
    expect(codeOf(await site.t.callAs(guest, listMembers, { params }))).toBe(
      'organization.single_sign_on_needed',
    );
  });

  test('the session of another organization does not open it', async () => {
    const [{ organization: a }, { organization: b }] = [await createRequired(), await createRequired()];
    await site.t.callAs(admin, addMember, {
      params: b.params,
      body: { personId: a.manager.id, roleId: 'manager' },
    });
    const { browser } = await signIn(a, `manager@${a.domain}`);
    expect((await open(browser, b)).json()).toMatchObject({ isSignInNeeded: true });
    const members = await browser.ask('GET', listMembers.path.replace(':organizationId', b.id));
    expect(members.json()).toMatchObject({ code: 'organization.single_sign_on_needed' });
  });

  test('the recovery code of a manager ends the requirement once', async () => {
    const { organization, recoveryCode } = await createRequired();
    const { manager, params, slug } = organization;
    const recover = (token: string, code: string) =>
      site.t.call(recoverOrganization, { token, params: { slug }, body: { code } });
    const member = await site.t.join(`member@${organization.domain}`);
    await site.t.callAs(admin, addMember, { params, body: { personId: member.id, roleId: 'member' } });
    expect(codeOf(await recover(await site.t.recentTokenOf(member), recoveryCode))).toBe(
      'organization.permission_needed',
    );
    expect(codeOf(await recover(manager.token, `${recoveryCode}2`))).toBe('connection.recovery_code_wrong');
    const typed = ` ${recoveryCode.toLowerCase().replaceAll('-', ' ')} `;
    expect((await recover(manager.token, typed)).status).toBe(200);
    expect((await site.t.callAs(manager, listMembers, { params })).status).toBe(200);
    expect(codeOf(await recover(manager.token, recoveryCode))).toBe('connection.not_required');
    expect(await actionsOf(organization)).toEqual(
      expect.arrayContaining(['connection.required', 'connection.recovered']),
    );
  });

  test('a recovery code cannot be guessed', async () => {
    const { organization } = await createRequired();
    const { manager, slug } = organization;
    const codes = [];
    for (let index = 0; index < 11; index += 1)
      codes.push(
        codeOf(
          await site.t.callAs(manager, recoverOrganization, { params: { slug }, body: { code: 'AAAA' } }),
        ),
      );
    expect(codes.at(-1)).toBe('connection.tried_too_often');
  });
});
