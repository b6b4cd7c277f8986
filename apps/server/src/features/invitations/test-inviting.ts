/** Test application with an administrator and helpers for invitations. */
import { getInvitationLink, invite } from '@vestibule/contract/invitations';
import { getInviteToken } from '@vestibule/contract/invitations/link';
import { createTestApp } from '../../test/test-app.ts';

export async function createInvitingApp(options: Parameters<typeof createTestApp>[0] = {}) {
  const t = await createTestApp(options);
  let admin = await t.join('admin@example.com', 'admin');
  let counter = 0;
  const newAddress = () => `guest-${(counter += 1)}@example.com`;
  const one = (invitationId: string) => ({ token: admin.token, params: { invitationId } });
  const inviteTo = (email = newAddress(), more: object = {}) =>
    t.callAs(admin, invite, { body: { email, ...more } });
  const markMailSent = (id: string) =>
    t.select`update invitations set mail_state = 'sent', mailed_at = created_at where id = ${id}`;
  const linkOf = async (id: string) => (await t.call(getInvitationLink, one(id))).body.link;
  return {
    ...t,
    get admin() {
      return admin;
    },
    newAddress,
    one,
    inviteTo,
    mailWasSent: markMailSent,
    /** Creates an invitation whose mail was sent. */
    async invited(more: object = {}) {
      const { body } = await inviteTo(newAddress(), more);
      await markMailSent(body.id);
      return body;
    },
    linkOf,
    codeOf: async (id: string) => new URL(await linkOf(id)).searchParams.get('i') as string,
    exchange: (code: string, headers: Record<string, string> = {}) =>
      t.call(getInviteToken, { body: { code }, headers }),
    /** Expires an invitation without advancing the clock, so that the administrator stays signed in. */
    expire: (id: string) =>
      t.select`update invitations set expires_at = ${new Date(t.clock.now())} where id = ${id}`,
    /** Resets all rate limits and creates an administrator with a recent token. */
    async advanceHour() {
      t.clock.advance(61 * 60_000);
      admin = await t.join(newAddress(), 'admin');
    },
  };
}
