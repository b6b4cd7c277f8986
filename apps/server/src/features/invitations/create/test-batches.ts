import { checkInvitations, createBatch, type BatchRow } from '@vestibule/contract/invitations/batches';
import { createTestApp, type TestApp } from '../../../test/test-app.ts';

export const rowsOf = (addresses: string[]) => addresses.map((email) => ({ email }));

export async function createBatchApp(options: Parameters<typeof createTestApp>[0] = {}) {
  const t = await createTestApp(options);
  const admin = await t.join('admin@example.com', 'admin');
  let counter = 0;
  const newKey = () => `key-${(counter += 1)}`;
  return {
    ...t,
    admin,
    newAddress: () => `invited-${(counter += 1)}@example.net`,
    newKey,
    check: async (rows: BatchRow[], more: object = {}) =>
      (await t.callAs(admin, checkInvitations, { body: { rows, ...more } })).body,
    send: (rows: BatchRow[], more: object = {}, key = newKey(), app: TestApp = t) =>
      app.callAs(admin, createBatch, { headers: { 'idempotency-key': key }, body: { rows, ...more } }),
    countOf: async (table: string, condition: string, values: unknown[] = []) =>
      (await t.select<{ n: number }>(`select count(*)::int as n from ${table} where ${condition}`, values))[0]
        ?.n,
  };
}
