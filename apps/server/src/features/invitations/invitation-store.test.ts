import { randomBytes, randomUUID } from 'node:crypto';
import { invite, revokeInvitation } from '@vestibule/contract/invitations';
import { expect, test } from 'vitest';
import type { QueryConfig, Queryable } from '../../platform/database/database.ts';
import { createTestApp } from '../../test/test-app.ts';
import { defaultInvitation, findLatestInvitation, insertInvitations } from './invitation-store.ts';
import { closeAfterTests } from '../../test/test-close.ts';

const t = closeAfterTests(await createTestApp());

/** Returns a connection that also collects the plan of each statement. */
function explainStatements() {
  const plans: string[] = [];
  const database: Queryable = {
    async query<Row>({ text, values }: QueryConfig) {
      plans.push(JSON.stringify(await t.select(`explain ${text}`, values)));
      const rows = await t.select<Row>(text, values);
      return { rows, rowCount: rows.length };
    },
  };
  return { database, plans };
}

// The index `invitations_one_pending` covers the pending invitation.
test('findLatestInvitation returns the open invitation or else the newest one, and uses an index', async () => {
  const { token } = await t.join('admin@example.com', 'admin');
  const inviteAgain = async () =>
    (await t.call(invite, { token, body: { email: 'ann@example.com', role: 'member' } })).body.id;
  const revoke = (invitationId: string) => t.call(revokeInvitation, { token, params: { invitationId } });
  const { database, plans } = explainStatements();
  const latest = async () => (await findLatestInvitation(database, 'ann@example.com'))?.id;

  expect(await latest()).toBeUndefined();
  const first = await inviteAgain();
  expect(await latest()).toBe(first);
  await revoke(first);
  t.clock.advance(1000);
  const second = await inviteAgain();
  expect(await latest()).toBe(second);
  await revoke(second);
  expect(await latest()).toBe(second);

  await t.select('set enable_seqscan = off');
  await latest();
  expect(plans.at(-1)).toContain('invitations_ended_of_address');
});

test('insertInvitations looks up people by index, however few there are', async () => {
  await t.join('bob@example.com', 'member');
  const { database, plans } = explainStatements();
  const at = new Date(t.clock.now());
  const rows = await insertInvitations(
    database,
    ['bob@example.com', 'cid@example.com'].map((email) => ({
      ...defaultInvitation,
      id: randomUUID(),
      email,
      emailCanonical: email,
      codeHash: randomBytes(32),
      createdAt: at,
      expiresAt: new Date(at.getTime() + 60_000),
    })),
    at,
  );
  expect(rows.map(({ email }) => email)).toEqual(['cid@example.com']);
  const plan = plans.find((one) => one.includes('Insert on invitations'));
  expect(plan).toContain('people_email_canonical');
  // A hashed subplan reads its whole table.
  expect(plan).not.toContain('hashed');
});
