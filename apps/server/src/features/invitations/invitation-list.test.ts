/** The list of invitations, as their lives go on. */
import {
  exportInvitations,
  getInvitation,
  getInvitationLink,
  invite,
  listInvitations,
  renewInvitation,
} from '@vestibule/contract/invitations';
import { getInviteToken } from '@vestibule/contract/invitations/link';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestApp, type TestApp, type TestPerson } from '../../test/test-app.ts';

const minute = 60_000;
let t: TestApp;
let admin: TestPerson;
beforeAll(async () => {
  t = await createTestApp();
});
beforeEach(async () => {
  t.clock.advance(61 * minute);
  const email = newAddress();
  admin = await t.join(email, 'admin');
});
afterAll(() => t.close());

let counter = 0;
const newAddress = () => `guest-${(counter += 1)}@example.com`;
const inviteTo = async (email = newAddress(), more: object = {}) =>
  (await t.call(invite, { token: admin.token, body: { email, ...more } })).body;
const invited = async (more: object = {}) => {
  const invitation = await inviteTo(newAddress(), more);
  await mailWasSent(invitation.id);
  return invitation;
};
const mailWasSent = (id: string) =>
  t.select("update invitations set mail_state = 'sent', mailed_at = created_at where id = $1", [id]);
/** Stays signed in, however far the clock goes. */
const expire = (id: string) =>
  t.select('update invitations set expires_at = $2 where id = $1', [id, new Date(t.clock.now())]);
const one = (invitationId: string) => ({ token: admin.token, params: { invitationId } });
const linkOf = async (id: string) => (await t.call(getInvitationLink, one(id))).body.link;
const codeOf = async (id: string) => new URL(await linkOf(id)).searchParams.get('i') as string;
const exchange = async (code: string) => (await t.call(getInviteToken, { body: { code } })).body.ErrorMessage;
describe('the list', () => {
  const rowsWith = async (...filters: object[]) =>
    (
      await t.call(listInvitations, {
        token: admin.token,
        query: { limit: 500, filters: JSON.stringify(filters) },
      })
    ).body.rows;

  test('is filtered by the status that is shown, by mail, language, inviter and times', async () => {
    const { id: opened } = await invited({ language: 'de' });
    await exchange(await codeOf(opened));
    const { id: expired } = await invited();
    await expire(expired);
    const idsWith = async (...filters: object[]) => (await rowsWith(...filters)).map(({ id }) => id);
    const mine = { column: 'createdBy', is: 'oneOf', values: [admin.email] };
    expect(await idsWith(mine, { column: 'status', is: 'oneOf', values: ['opened'] })).toEqual([opened]);
    expect(await idsWith(mine, { column: 'status', is: 'oneOf', values: ['expired'] })).toEqual([expired]);
    expect(await idsWith(mine, { column: 'language', is: 'oneOf', values: ['de'] })).toEqual([opened]);
    expect(await idsWith(mine, { column: 'openedAt', is: 'filled' })).toEqual([opened]);
    expect(await idsWith(mine, { column: 'batchId', is: 'filled' })).toEqual([]);
    const hourAgo = new Date(t.clock.now() - 60 * minute).toISOString();
    expect(await idsWith(mine, { column: 'createdAt', is: 'between', from: hourAgo })).toHaveLength(2);
    expect(await idsWith(mine, { column: 'mailState', is: 'oneOf', values: ['failed'] })).toEqual([]);
  });

  test('and export, details and batches hold no code and no hash, and are for administrators (security 26)', async () => {
    const { id } = await invited();
    const code = await codeOf(id);
    await expire(id);
    await t.call(renewInvitation, { ...one(id), body: {} });
    const secrets = [code, await codeOf(id)].flatMap((secret) => {
      const hash = t.shortCodes.hashOf(secret);
      return [secret, hash.toString('hex'), hash.toString('base64')];
    });
    const texts = [
      (await t.call(listInvitations, { token: admin.token, query: { limit: 500 } })).text,
      (await t.call(getInvitation, one(id))).text,
      (await t.call(exportInvitations, { token: admin.token, body: { format: 'csv' } })).text,
    ];
    for (const text of texts) {
      expect(text).toContain('@example.com');
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
    const member = await t.join(newAddress());
    expect((await t.call(getInvitation, { ...one(id), token: member.token })).status).toBe(403);
  });
});
