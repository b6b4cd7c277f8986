import { invite, revokeInvitation } from '@vestibule/contract/invitations';
import { expect, test } from 'vitest';
import type { QueryConfig, Queryable } from '../../platform/database/database.ts';
import { createTestApp } from '../../test/test-app.ts';
import { findLatestInvitation } from './invitation-store.ts';
import { closeAfterTests } from '../../test/test-close.ts';

const t = closeAfterTests(await createTestApp());

// The index `invitations_one_pending` covers the pending invitation.
test('findLatestInvitation returns the open invitation or else the newest one, and uses an index', async () => {
  const { token } = await t.join('admin@example.com', 'admin');
  const inviteAgain = async () =>
    (await t.call(invite, { token, body: { email: 'ann@example.com', role: 'member' } })).body.id;
  const revoke = (invitationId: string) => t.call(revokeInvitation, { token, params: { invitationId } });
  let plan = '';
  const database: Queryable = {
    async query<Row>({ text, values }: QueryConfig) {
      plan = JSON.stringify(await t.select(`explain ${text}`, values));
      const rows = await t.select<Row>(text, values);
      return { rows, rowCount: rows.length };
    },
  };
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
  expect(plan).toContain('invitations_ended_of_address');
});
