import { getMe } from '@vestibule/contract/profile/me';
import { expect, test } from 'vitest';
import type { Database } from '../../platform/database/database.ts';
import { newId } from '../../platform/database/new-id.ts';
import { closeAfterTests } from '../../test/test-close.ts';
import { createTestApp, testIssuer } from '../../test/test-app.ts';
import { createRedeem, type Redemption } from './provision-user.ts';

const t = closeAfterTests(await createTestApp());
const member = await t.join('inside@example.com');

const redemption = (email: string, more: Partial<Redemption> = {}): Redemption => ({
  issuer: testIssuer,
  way: 'b2c',
  subject: `subject of ${email}`,
  emailCanonical: email,
  claimed: null,
  isVerified: false,
  name: null,
  signIn: { session: 'first', at: new Date(t.clock.now()), address: '192.0.2.1', userAgent: '' },
  origin: { requestId: 'request-1', address: '192.0.2.1' },
  ...more,
});

test.each<[string, (conflictingInvitation: { id: string; email: string }) => Promise<Redemption>]>([
  [
    'the address of a member',
    async ({ id }) => {
      // The API prevents this state; a race between an invitation and a redemption could create it.
      await t.select('update invitations set email_canonical = $2 where id = $1', [id, member.email]);
      return redemption(member.email, { subject: 'another subject' });
    },
  ],
  [
    'the identity of a member',
    ({ email }) => Promise.resolve(redemption(email, { subject: member.subject })),
  ],
])(
  'a redemption with %s does not affect the others of its batch (security 22)',
  async (conflict, createConflict) => {
    let transactions = 0;
    const database: Database = {
      ...t.database,
      transaction: (work) => {
        transactions += 1;
        return t.database.transaction(work);
      },
    };
    const redeem = createRedeem({ database, now: t.clock.now, newId });
    const [goodEmail, badEmail] = [`good ${conflict}`, `bad ${conflict}`].map(
      (name) => `${name.replaceAll(' ', '-')}@example.com`,
    );
    const invitation = await t.invitationTo(goodEmail as string);
    const conflictingInvitation = await t.invitationTo(badEmail as string);

    const conflicting = await createConflict(conflictingInvitation);

    const [refused, person] = await Promise.all([redeem(conflicting), redeem(redemption(invitation.email))]);

    expect(refused).toBeNull();
    expect(person).toMatchObject({ email: invitation.email, status: 'active' });
    expect(transactions).toBe(3);
    expect(await t.invitationState(invitation.id)).toEqual({ status: 'redeemed', redeemed_by: person?.id });
    expect(await t.invitationState(conflictingInvitation.id)).toEqual({
      status: 'pending',
      redeemed_by: null,
    });
    expect(await t.auditOf(invitation.id, 'invitation.redeemed')).toHaveLength(1);
    expect(await t.auditOf(conflictingInvitation.id, 'invitation.redeemed')).toEqual([]);
    expect(await t.select('select from sign_ins where person_id = $1', [person?.id])).toHaveLength(1);
    expect((await t.call(getMe, { token: member.token })).body.Id).toBe(member.id);
  },
);
