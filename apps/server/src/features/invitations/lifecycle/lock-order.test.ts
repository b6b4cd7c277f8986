/** Statements lock several invitations in the order of addresses, which avoids deadlocks with concurrent inviting. */
import { actOnInvitations, changeInvitationAddress, invite } from '@vestibule/contract/invitations';
import { createBatch, undoBatch } from '@vestibule/contract/invitations/batches';
import { getInviteToken } from '@vestibule/contract/invitations/link';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestApp, type TestApp } from '../../../test/test-app.ts';
import { waitForLocks } from '../../../test/test-faults.ts';

let t: TestApp;
let token = '';
/** Name of the statement whose next execution fails with a deadlock. */
let deadlockedStatement = '';
beforeAll(async () => {
  t = await createTestApp({
    wrapDatabase: (database) => ({
      ...database,
      transaction: (work, limit) =>
        database.transaction(
          (transaction) =>
            work({
              ...transaction,
              query(config) {
                if (config.name !== deadlockedStatement) return transaction.query(config);
                deadlockedStatement = '';
                return Promise.reject(Object.assign(new Error('a deadlock'), { code: '40P01' }));
              },
            }),
          limit,
        ),
    }),
  });
  token = (await t.join('admin@example.com', 'admin')).token;
});
afterAll(() => t.close());

let counter = 0;
/** Returns two ids in ascending order whose addresses are in descending order. */
async function inviteBoth(isExpired: boolean): Promise<string[]> {
  counter += 1;
  const ids: string[] = [];
  for (const letter of ['b', 'a'])
    ids.push((await t.call(invite, { token, body: { email: `${letter}-${counter}@example.com` } })).body.id);
  await t.select("update invitations set mail_state = 'sent' where id = any($1)", [ids]);
  if (isExpired)
    await t.select('update invitations set expires_at = $2 where id = any($1)', [
      ids,
      new Date(t.clock.now()),
    ]);
  expect([...ids].sort()).toEqual(ids);
  return ids;
}

/** Returns whether `runAction` holds the second invitation while it waits for the first. */
async function holdsSecond([first, second]: string[], runAction: () => Promise<{ status: number }>) {
  const found = await t.database.transaction(async (transaction) => {
    await transaction.query({ text: 'select from invitations where id = $1 for update', values: [first] });
    const action = runAction();
    await waitForLocks(t, 1);
    const free = await t.select('select from invitations where id = $1 for update skip locked', [second]);
    return { action, isHeld: free.length === 0 };
  });
  expect((await found.action).status).toBe(200);
  return found.isHeld;
}

test.each(['resend', 'renew', 'revoke'] as const)(
  '%s in bulk locks invitations in the order of addresses',
  async (action) => {
    const ids = await inviteBoth(action === 'renew');
    const body = { action, selection: { ids } };
    expect(await holdsSecond(ids, () => t.call(actOnInvitations, { token, body }))).toBe(true);
  },
);

test('undoing a batch locks invitations in the order of addresses', async () => {
  const ids = await inviteBoth(false);
  const { body: batch } = await t.call(createBatch, {
    token,
    body: { rows: [{ email: 'c@example.com' }] },
    headers: { 'idempotency-key': 'one-order' },
  });
  await t.select('update invitations set batch_id = $2 where id = any($1)', [ids, batch.id]);
  expect(await holdsSecond(ids, () => t.call(undoBatch, { token, params: { batchId: batch.id } }))).toBe(
    true,
  );
});

/** Changes that lock several invitations, each with a statement in which a deadlock can occur. */
const changes: [change: string, statement: string, act: (id: string) => Promise<unknown>][] = [
  [
    'an invitation',
    'insert-invitations',
    () => t.call(invite, { token, body: { email: `c-${(counter += 1)}@example.com` } }),
  ],
  ...['insert-invitations', 'mark-invitations-sent-again'].map((statement): (typeof changes)[number] => [
    'a list',
    statement,
    async (id) => {
      const rows = await t.select<{ email: string }>('select email from invitations where id = $1', [id]);
      const { body } = await t.call(createBatch, {
        token,
        body: { rows: [...rows, { email: `c-${(counter += 1)}@example.com` }], sendAgain: true },
        headers: { 'idempotency-key': statement },
      });
      return { status: body.counts.created === 1 && body.counts.sentAgain === 1 ? 200 : 500 };
    },
  ]),
  [
    'the undo of a list',
    'revoke-batch',
    async (id) => {
      const rows = [{ email: `c-${(counter += 1)}@example.com` }];
      const headers = { 'idempotency-key': 'undo' };
      const { body: batch } = await t.call(createBatch, { token, body: { rows }, headers });
      await t.select('update invitations set batch_id = $2 where id = $1', [id, batch.id]);
      return t.call(undoBatch, { token, params: { batchId: batch.id } });
    },
  ],
  [
    'a change of address',
    'replace-expired-invitations',
    (id) =>
      t.call(changeInvitationAddress, {
        token,
        params: { invitationId: id },
        body: { email: `c-${(counter += 1)}@example.com` },
      }),
  ],
  [
    'a bulk action',
    'revoke-invitations',
    (id) => t.call(actOnInvitations, { token, body: { action: 'revoke', selection: { ids: [id] } } }),
  ],
  [
    'an opened link',
    'record-invitation-events',
    (id) => t.call(getInviteToken, { body: { code: t.shortCodes.codeOf(id) } }),
  ],
  [
    // Without the retry, the mail would be sent a second time.
    'the report of a sent mail',
    'report-invitation-mails',
    async (id) => {
      await t.mailTemplates['invitation']?.sent(`${id}/1`);
      const sent = await t.select("select from invitations where id = $1 and mail_state = 'sent'", [id]);
      return { status: sent.length === 1 ? 200 : 500 };
    },
  ],
];
test.each(changes)('%s is repeated after a deadlock in %s', async (_what, name, change) => {
  const [id] = (await inviteBoth(false)) as [string];
  deadlockedStatement = name;
  expect(await change(id)).toMatchObject({ status: 200 });
  expect(deadlockedStatement).toBe('');
});
