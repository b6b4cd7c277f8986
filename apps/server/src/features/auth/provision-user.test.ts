import { invite } from '@vestibule/contract/invitations';
import { getMe } from '@vestibule/contract/profile/me';
import { changeSettings } from '@vestibule/contract/settings';
import { expect, test } from 'vitest';
import type { Database } from '../../platform/database/database.ts';
import { noHooks } from '../../platform/extensions/hooks.ts';
import { newId } from '../../platform/database/new-id.ts';
import { testIssuer } from '../../test/test-app.ts';
import { setUpOidcSite } from '../../test/sign-in/test-oidc-site.ts';
import { waitForLocks } from '../../test/database/test-faults.ts';
import { createRedeem, type Redemption } from './provision-user.ts';

const site = await setUpOidcSite();
const admin = await site.t.join('admin@example.com', 'admin');
const member = await site.t.join('inside@example.com');
await site.t.callAs(admin, changeSettings, {
  body: { signInDomains: ['acme.example acme open'], versions: { signInDomains: 0 } },
});

/** Starts a sign-in by domain and an invitation of the same person while a table is locked (P4). */
async function whileLocked(table: string, email: string, first: 'sign-in' | 'invite') {
  site.acme.setNextAccount(`subject of ${email}`, { email, email_verified: true, name: 'Ann' });
  const browser = site.browser();
  const callbackUrl = await browser.visitProvider(await browser.start({ way: 'acme' }));
  const actions = {
    'sign-in': () => browser.ask('GET', callbackUrl),
    invite: () => site.t.callAs(admin, invite, { body: { email } }),
  };
  const second = first === 'invite' ? 'sign-in' : 'invite';
  const { running } = await site.t.database.transaction(async (transaction) => {
    await transaction.query({ text: `lock table ${table} in share mode` });
    const firstAction = actions[first]();
    await waitForLocks(site.t, 1);
    const next = actions[second]();
    await waitForLocks(site.t, 2);
    return { running: [firstAction, next] };
  });
  await Promise.all(running);
  expect(await browser.whoAmI()).toBe(email);
  return site.t.select<{ status: string }>`select status from invitations where email = ${email}`;
}

test('inviting a person fails while that person is being admitted by domain', async () => {
  expect(await whileLocked('people', 'during@acme.example', 'sign-in')).toEqual([]);
});

test('a person who signs in while they are being invited redeems the invitation', async () => {
  expect(await whileLocked('jobs.job', 'invited@acme.example', 'invite')).toEqual([{ status: 'redeemed' }]);
});

const redemption = (email: string, more: Partial<Redemption> = {}): Redemption => ({
  issuer: testIssuer,
  way: 'b2c',
  subject: `subject of ${email}`,
  emailCanonical: email,
  claimed: null,
  isVerified: false,
  name: null,
  signIn: { session: 'first', at: new Date(site.t.clock.now()), address: '192.0.2.1', userAgent: '' },
  origin: { requestId: 'request-1', address: '192.0.2.1' },
  ...more,
});

test.each<[string, (conflictingInvitation: { id: string; email: string }) => Promise<Redemption>]>([
  [
    'the address of a member',
    async ({ id }) => {
      // The API prevents this state; a race between an invitation and a redemption could create it.
      await site.t.select`update invitations set email_canonical = ${member.email} where id = ${id}`;
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
      ...site.t.database,
      transaction: (work) => {
        transactions += 1;
        return site.t.database.transaction(work);
      },
    };
    const redeem = createRedeem({ database, hooks: noHooks, now: site.t.clock.now, newId });
    const [goodEmail, badEmail] = [`good ${conflict}`, `bad ${conflict}`].map(
      (name) => `${name.replaceAll(' ', '-')}@example.com`,
    );
    const invitation = await site.t.invitationTo(goodEmail as string);
    const conflictingInvitation = await site.t.invitationTo(badEmail as string);

    const conflicting = await createConflict(conflictingInvitation);

    const [refused, person] = await Promise.all([redeem(conflicting), redeem(redemption(invitation.email))]);

    expect(refused).toBeNull();
    expect(person).toMatchObject({ email: invitation.email, status: 'active' });
    expect(transactions).toBe(3);
    expect(await site.t.invitationState(invitation.id)).toEqual({
      status: 'redeemed',
      redeemed_by: person?.id,
    });
    expect(await site.t.invitationState(conflictingInvitation.id)).toEqual({
      status: 'pending',
      redeemed_by: null,
    });
    expect(await site.t.auditOf(invitation.id, 'invitation.redeemed')).toHaveLength(1);
    expect(await site.t.auditOf(conflictingInvitation.id, 'invitation.redeemed')).toEqual([]);
    expect(await site.t.select`select from sign_ins where person_id = ${person?.id}`).toHaveLength(1);
    expect((await site.t.callAs(member, getMe)).body.Id).toBe(member.id);
  },
);
