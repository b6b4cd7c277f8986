/**
 * At most one invitation to an address is pending (statement P4; security 65). A unique index ensures it; state-table.test.ts has every
 * event in every state.
 */
import { changeInvitationAddress, invite, renewInvitation } from '@vestibule/contract/invitations';
import { requestNewLink } from '@vestibule/contract/invitations/link';
import { removePerson } from '@vestibule/contract/people';
import { expect, test } from 'vitest';
import { createTestApp } from '../../../test/test-app.ts';
import { waitForLocks } from '../../../test/database/test-faults.ts';
import { createIdleWaiter } from '../../../test/database/test-idle-database.ts';
import { closeAfterTests } from '../../../test/test-close.ts';

const hour = 3600_000;

let token = '';
const { wrapDatabase, waitUntilIdle } = createIdleWaiter();
const t = closeAfterTests(
  await createTestApp({
    wrapDatabase,
  }),
);
const admin = await t.join('admin@example.com', 'admin');

let counter = 0;
const newAddress = () => `guest-${(counter += 1)}@example.com`;
const advanceHour = async () => {
  t.clock.advance(hour);
  token = await t.mint({ sub: admin.subject });
};
const callFor = (invitationId: string) => ({ token, params: { invitationId } });
const expire = (id: string) =>
  t.select`
    update invitations set expires_at = ${new Date(t.clock.now())} where id = ${id} and status = 'pending'`;
const statusOf = async (id: string) =>
  (await t.select<{ status: string }>`select status from invitations where id = ${id}`)[0]?.status;
/** Signs in, optionally with the invitation id from the provider. */
const signIn = (email: string, invitationId?: string) => t.signIn(email, { invitationId });
const remove = (personId: string) => t.call(removePerson, { token, params: { personId }, query: {} });
/** Requests a new link with each code of an invitation and waits for the result. */
async function requestNewLinks(id: string): Promise<void> {
  for (const version of [0, 1, 2])
    await t.call(requestNewLink, { body: { code: t.shortCodes.codeOf(id, version) } });
  await waitUntilIdle();
}

test('a removed person cannot rejoin with an earlier invitation, for example as an administrator', async () => {
  await advanceHour();
  const email = newAddress();
  const asAdmin = (await t.call(invite, { token, body: { email, role: 'admin' } })).body;
  await expire(asAdmin.id);
  await advanceHour();
  await t.call(invite, { token, body: { email } });
  const { body: person } = await signIn(email);
  expect(person).toMatchObject({ Email: email, IsAdmin: false });
  await remove(person.Id);

  await requestNewLinks(asAdmin.id);
  expect(await statusOf(asAdmin.id)).toBe('replaced');
  expect((await t.call(renewInvitation, { ...callFor(asAdmin.id), body: {} })).body.code).toBe(
    'invitation.replaced',
  );
  expect((await signIn(email, asAdmin.id)).body).toMatchObject({ code: 'person.not_invited' });

  // Only a new invitation lets the person join again.
  const renewed = (await t.call(invite, { token, body: { email } })).body;
  expect((await signIn(email, asAdmin.id)).body).toMatchObject({ Email: email, IsAdmin: false });
  expect([await statusOf(asAdmin.id), await statusOf(renewed.id)]).toEqual(['replaced', 'redeemed']);
});

test('a person who is invited while redeeming an earlier invitation gets no second one', async () => {
  await advanceHour();
  const email = newAddress();
  const { id } = (await t.call(invite, { token, body: { email } })).body;
  const other = (await t.call(invite, { token, body: { email: newAddress() } })).body;
  // The redemption has locked the invitation and waits to insert the person.
  const responses = await t.database.transaction(async (transaction) => {
    await transaction.query({ text: 'lock table people in share mode' });
    const signingIn = signIn(email, id);
    await waitForLocks(t, 1);
    const inviting = t.call(invite, { token, body: { email } });
    const moving = t.call(changeInvitationAddress, { ...callFor(other.id), body: { email } });
    await waitForLocks(t, 3);
    return [signingIn, inviting, moving];
  });
  expect(await Promise.all(responses)).toMatchObject([
    { body: { Email: email } },
    { body: { code: 'invitation.already_member' } },
    { body: { code: 'invitation.already_member' } },
  ]);
  expect([await statusOf(id), await statusOf(other.id)]).toEqual(['redeemed', 'pending']);
  const sent = await t.select`select from invitations where email = ${email}`;
  expect(sent).toHaveLength(1);
});
