import { getInvitationLinkState } from '@vestibule/contract/invitations/link';
import { getOrganizationInvitationLink } from '@vestibule/contract/invitations/in-organization';
import { listMyInvitations } from '@vestibule/contract/invitations/mine';
import { deleteOrganization } from '@vestibule/contract/organizations';
import { changeOrganizationLogo } from '@vestibule/contract/organizations/logo';
import { listMyOrganizations, openOrganization } from '@vestibule/contract/organizations/mine';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { png } from '../../test/test-picture.ts';
import type { TestApp, TestPerson } from '../../test/test-app.ts';
import {
  createInvitingHelpers,
  createOrganizationSite,
  type OrganizationSite,
} from './test-organizations.ts';

let t: TestApp;
let admin: TestPerson;
let a: OrganizationSite['a'];
let b: OrganizationSite['b'];
beforeEach(async () => {
  ({ t, admin, a, b } = await createOrganizationSite());
});
afterEach(() => t.close());

const { inOrganization, inviteTo, one } = createInvitingHelpers(() => t);
const upload = (picture: Buffer | null, organization = a) =>
  t.call(changeOrganizationLogo, {
    ...inOrganization(organization),
    body: { picture: picture && picture.toString('base64') },
  });
const fetchLogo = (url: string, headers: Record<string, string> = {}) => t.app.inject({ url, headers });
const pathOf = ({ logo }: { logo: { path: string } | null }) => logo?.path ?? '';

describe('the logo of an organization (R1, R10)', () => {
  test('is shown to its members and invitees, in mails and on the page of the invitation', async () => {
    const { body } = await upload(png(64, 32));
    expect(body.logo).toMatchObject({ width: 64, height: 32 });
    const path = pathOf(body);
    expect(path).not.toContain(a.id);
    expect(path).not.toContain(a.slug);
    const { rows } = (await t.callAs(a.member, listMyOrganizations)).body;
    expect(rows).toMatchObject([{ logo: { path } }]);
    const opened = await t.callAs(a.member, openOrganization, { params: { slug: a.slug } });
    expect(opened.body.logo).toEqual(body.logo);

    const { body: invitation } = await inviteTo(a, b.member.email);
    const mine = await t.callAs(b.member, listMyInvitations);
    expect(mine.body.rows).toMatchObject([{ organizationLogo: { path } }]);
    const { link } = (
      await t.call(getOrganizationInvitationLink, { ...one(a, invitation.id), token: admin.token })
    ).body;
    const code = new URL(link).searchParams.get('i') as string;
    const state = await t.call(getInvitationLinkState, { body: { code } });
    expect(state.body.organizationLogo).toEqual(body.logo);
    const mail = await t.mailTemplates['invitation']?.write(`${invitation.id}/1`);
    expect(mail?.html).toContain(
      `<img src="https://portal.example.com${path}" alt="The acme" width="64" height="32"`,
    );

    const { body: other } = await inviteTo(b, 'other@example.com');
    expect((await t.mailTemplates['invitation']?.write(`${other.id}/1`))?.html).not.toContain('<img');
  });

  test('keeps its address when it is replaced, and is not found after its removal or that of the organization', async () => {
    const first = pathOf((await upload(png(64, 32))).body);
    const second = pathOf((await upload(png(8, 8))).body);
    expect(second).not.toBe(first);
    expect(second.split('?')[0]).toBe(first.split('?')[0]);
    const response = await fetchLogo(first);
    expect(response.headers).toMatchObject({
      'content-type': 'image/png',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(response.rawPayload).toEqual(png(8, 8));
    const cached = await fetchLogo(second, { 'if-none-match': response.headers.etag as string });
    expect(cached.statusCode).toBe(304);
    expect((await upload(null)).body.logo).toBeNull();
    expect((await fetchLogo(second)).statusCode).toBe(404);
    const third = pathOf((await upload(png(8, 8))).body);
    await t.callAs(admin, deleteOrganization, { params: { organizationId: a.id } });
    expect((await fetchLogo(third)).statusCode).toBe(404);
    for (const key of ['unknown', a.id])
      expect((await fetchLogo(`/api/organization-logos/${key}`)).statusCode).toBe(404);
  });

  test('is a picture within the limits of the logo of the site, and changed by members with the permission', async () => {
    expect((await upload(Buffer.from('<svg/>'))).body.code).toBe('settings.logo_unusable');
    const tooLarge = await upload(Buffer.concat([png(8, 8), Buffer.alloc(250_000)]));
    expect([400, 413]).toContain(tooLarge.status);
    const byMember = await t.call(changeOrganizationLogo, {
      ...inOrganization(a, a.member.token),
      body: { picture: null },
    });
    expect(byMember.status).toBe(403);
  });
});
