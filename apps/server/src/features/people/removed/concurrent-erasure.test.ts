import { invite } from '@vestibule/contract/invitations';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestSession } from '../../../test/test-session.ts';
import { waitForLocks } from '../../../test/test-faults.ts';
import { lockAdministrators } from '../person-changes.ts';
import { createErasureApp, type ErasureApp } from './test-erasure.ts';

const address = 'Annegret.Wunderlich@example.com';
const name = 'Annegret Wunderlich';
let t: ErasureApp;
beforeEach(async () => {
  t = await createErasureApp();
});
afterEach(() => t.close());

const erase = () => t.erase(address.toLowerCase());

describe('during an erasure', () => {
  const subject = `subject of ${address}`;

  /** Erases the person and runs `meanwhile` before the erasure replaces the address. */
  async function eraseWhile<Result>(meanwhile: () => Promise<Result>): Promise<Result> {
    await t.invitationTo(address);
    const { erasing, result } = await t.database.transaction(
      async (transaction) => {
        await lockAdministrators(transaction);
        const erased = erase();
        // Queried in this transaction, so that the transaction is not idle.
        await waitForLocks({ select: async (text) => (await transaction.query({ text })).rows }, 1);
        return { erasing: erased, result: await meanwhile() };
      },
      { withinMs: 50_000 },
    );
    expect((await erasing).status).toBe(200);
    return result;
  }
  const inviteAgain = async () =>
    (await t.call(invite, { token: t.admin.token, body: { email: address, name, role: 'member' } })).body.id;
  async function join(invitationId: string) {
    const token = await t.mint({ sub: subject, emails: [address], invitationId });
    const me = await t.app.inject({ url: '/api/users/me', headers: { authorization: `Bearer ${token}` } });
    expect(me.json()).toMatchObject({ Email: address });
    return me.json<{ Id: string }>().Id;
  }

  test('a new invitation to the address remains valid', async () => {
    const id = await eraseWhile(inviteAgain);
    expect(await t.select('select email, name, status from invitations where id = $1', [id])).toEqual([
      { email: address, name, status: 'pending' },
    ]);
    await join(id);
  });

  test('a person who joins by a new invitation is not erased and remains signed in', async () => {
    const id = await eraseWhile(async () => {
      const personId = await join(await inviteAgain());
      await t.select('update identities set email = $1 where person_id = $2', [address, personId]);
      await createTestSession(t, { id: personId });
      return personId;
    });
    expect(
      await t.select(
        `select people.email, identities.email as told, identities.subject, sessions.subject as session
         from people join identities on identities.person_id = people.id join sessions on sessions.person_id = people.id
         where people.id = $1`,
        [id],
      ),
    ).toEqual([{ email: address, told: address, subject, session: subject }]);
  });
});
