import type { TestApp } from '../../test/test-app.ts';

export async function newestEntry(t: TestApp): Promise<number> {
  const [row] = await t.select<{ id: number }>('select max(id) as id from audit_log');
  return row?.id ?? 0;
}

export async function actionsSince(t: TestApp, entry: number): Promise<string[]> {
  const rows = await t.select<{ action: string }>(
    "select action from audit_log where target_type = 'person' and id > $1 order by id",
    [entry],
  );
  return rows.map(({ action }) => action);
}

export const unknownId = '0192f0c1-2345-7abc-8def-0123456789ab';
