import {
  actOnInvitations,
  changeInvitationAddress,
  getInvitation,
  renewInvitation,
  resendInvitation,
  revokeInvitation,
} from '@vestibule/contract/invitations';
import {
  actOnOrganizationInvitations,
  changeOrganizationInvitationAddress,
  getOrganizationInvitationLink,
  inviteToOrganization,
  renewOrganizationInvitation,
  resendOrganizationInvitation,
} from '@vestibule/contract/invitations/in-organization';
import { getInviteToken, requestNewLink } from '@vestibule/contract/invitations/link';
import { acceptMyInvitation, listMyInvitations } from '@vestibule/contract/invitations/mine';
import { changeOrganization } from '@vestibule/contract/organizations';
import { expect, test } from 'vitest';
import { createInvitingHelpers, createOrganizationSite } from '../../organizations/test-organizations.ts';

test('invitations to a suspended organization are not sent, renewed or changed, but can be revoked', async () => {
  const { t, admin, a, b } = await createOrganizationSite();
  const { inOrganization, inviteTo } = createInvitingHelpers(() => t);
  const organization = { organizationId: a.id };
  const call = async <Sent>(send: (token: string) => Promise<Sent>): Promise<Sent> =>
    send(await t.recentTokenOf(admin));
  const setStatus = (status: 'active' | 'suspended') =>
    call((token) => t.call(changeOrganization, { token, params: organization, body: { status } }));
  const mailNumbers = () => t.select`select mail_number from invitations where organization_id = ${a.id}`;

  const { body: expired } = await t.call(inviteToOrganization, {
    ...inOrganization(a),
    body: { email: 'expired@acme.example', lifetimeDays: 1 },
  });
  const { link } = await call(async (token) => {
    const params = { ...organization, invitationId: expired.id };
    return (await t.call(getOrganizationInvitationLink, { token, params })).body;
  });
  t.clock.advance(2 * 24 * 3_600_000);
  const manager = { ...a.manager, token: await t.mint({ sub: a.manager.subject }) };
  const { body: open } = await inviteTo(a, 'open@acme.example', {}, manager.token);
  const { body: ofMember } = await inviteTo(a, b.member.email, {}, manager.token);
  const { link: openLink } = await call(async (token) => {
    const params = { ...organization, invitationId: open.id };
    return (await t.call(getOrganizationInvitationLink, { token, params })).body;
  });
  await t.select("update invitations set mail_state = 'sent'");
  await setStatus('suspended');
  const before = await mailNumbers();

  const ofSite = (id: string) => ({ invitationId: id });
  const ofOrganization = (id: string) => ({ ...organization, invitationId: id });
  const email = 'other@acme.example';
  const refused = await call(async (token) => [
    await t.call(resendInvitation, { token, params: ofSite(open.id) }),
    await t.call(resendOrganizationInvitation, { token, params: ofOrganization(open.id) }),
    await t.call(renewInvitation, { token, params: ofSite(expired.id), body: {} }),
    await t.call(renewOrganizationInvitation, { token, params: ofOrganization(expired.id), body: {} }),
    await t.call(changeInvitationAddress, { token, params: ofSite(open.id), body: { email } }),
    await t.call(changeOrganizationInvitationAddress, {
      token,
      params: ofOrganization(open.id),
      body: { email },
    }),
  ]);
  for (const { status, body } of refused)
    expect([status, (body as { code?: string }).code]).toEqual([409, 'invitation.organization_suspended']);

  for (const [action, id] of [
    ['resend', open.id],
    ['renew', expired.id],
  ] as const) {
    const body = { action, selection: { ids: [id] } };
    for (const response of await call(async (token) => [
      await t.call(actOnInvitations, { token, body }),
      await t.call(actOnOrganizationInvitations, { token, params: organization, body }),
    ]))
      expect(response.body).toMatchObject({
        done: 0,
        skipped: [{ id, reason: 'Its organization is suspended or has expired.' }],
      });
  }

  // The holder of the link cannot have a new one mailed either, and gets the reason.
  const codeOf = (address: string) => new URL(address).searchParams.get('i') as string;
  await t.call(requestNewLink, { body: { code: codeOf(link) } });
  const exchanged = await t.call(getInviteToken, { body: { code: codeOf(openLink) } });
  expect(exchanged.body).toMatchObject({ Succeeded: false, ErrorMessage: 'Suspended' });
  const member = { ...b.member, token: await t.mint({ sub: b.member.subject }) };
  const { rows } = (await t.callAs(member, listMyInvitations)).body;
  expect(rows).toMatchObject([{ id: ofMember.id, isSuspended: true }]);
  const accept = () => t.callAs(member, acceptMyInvitation, { params: { invitationId: ofMember.id } });
  expect((await accept()).body.code).toBe('organization.suspended');
  expect(await mailNumbers()).toEqual(before);

  const revoked = await call((token) => t.call(revokeInvitation, { token, params: ofSite(expired.id) }));
  expect(revoked.status).toBe(200);
  await setStatus('active');
  expect((await accept()).status).toBe(200);
  const resent = await call((token) =>
    t.call(resendOrganizationInvitation, { token, params: ofOrganization(open.id) }),
  );
  expect(resent.status).toBe(200);
  const details = await call((token) => t.call(getInvitation, { token, params: ofSite(open.id) }));
  expect(details.body.timeline.map(({ kind }) => kind)).toContain('sent_again');
  await t.close();
});
