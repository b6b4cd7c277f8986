/** Who comes in at the same moment shares a transaction, and is still judged alone (F6; security 20, 22). */
import { getMe } from '@vestibule/contract/profile/me';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../platform/database/database.ts';
import { newId } from '../../platform/database/new-id.ts';
import { createTestApp, testIssuer, type TestApp, type TestPerson } from '../../test/test-app.ts';
import { createRedeem, type Redemption } from './redeem.ts';

let t: TestApp;
let inside: TestPerson;
beforeAll(async () => {
  t = await createTestApp();
  inside = await t.join('inside@example.com');
});
afterAll(() => t.close());

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

test.each<[string, (spoiled: { id: string; email: string }) => Promise<Redemption>]>([
  [
    'the address of somebody inside',
    async ({ id }) => {
      // Past the API, which refuses it: what a race between an invitation and a redemption could leave.
      await t.select('update invitations set email_canonical = $2 where id = $1', [id, inside.email]);
      return redemption(inside.email, { subject: 'another subject' });
    },
  ],
  [
    'the identity of somebody inside',
    ({ email }) => Promise.resolve(redemption(email, { subject: inside.subject })),
  ],
])(
  'one breaks a unique constraint by %s: the other comes in all the same (security 22)',
  async (what, spoil) => {
    let transactions = 0;
    const database: Database = {
      ...t.database,
      transaction: (work) => {
        transactions += 1;
        return t.database.transaction(work);
      },
    };
    const redeem = createRedeem({ database, now: t.clock.now, newId });
    const [good, bad] = [`good ${what}`, `bad ${what}`].map(
      (name) => `${name.replaceAll(' ', '-')}@example.com`,
    );
    const opened = await t.invitationTo(good as string);
    const spoiled = await t.invitationTo(bad as string);

    const spoiling = await spoil(spoiled);

    const [refused, person] = await Promise.all([redeem(spoiling), redeem(redemption(opened.email))]);

    expect(refused).toBeNull();
    expect(person).toMatchObject({ email: opened.email, status: 'active' });
    // The two together, and after that failed, each alone.
    expect(transactions).toBe(3);
    expect(await t.select('select status, redeemed_by from invitations where id = $1', [opened.id])).toEqual([
      { status: 'redeemed', redeemed_by: person?.id },
    ]);
    expect(await t.select('select status, redeemed_by from invitations where id = $1', [spoiled.id])).toEqual(
      [{ status: 'pending', redeemed_by: null }],
    );
    expect(
      await t.select(
        "select target_id from audit_log where action = 'invitation.redeemed' and target_id = any($1)",
        [[opened.id, spoiled.id]],
      ),
    ).toEqual([{ target_id: opened.id }]);
    expect(await t.select('select from sign_ins where person_id = $1', [person?.id])).toHaveLength(1);
    expect((await t.call(getMe, { token: inside.token })).body.Id).toBe(inside.id);
  },
);
