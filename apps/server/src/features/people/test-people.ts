import type { TestApp } from '../../test/test-app.ts';

export function newestEntry(t: TestApp): Promise<number> {
  return t.scalar<number>`select coalesce(max(id), 0) from audit_log`;
}

export function actionsSince(t: TestApp, entry: number): Promise<string[]> {
  return t.scalars<string>`
    select action from audit_log where target_type = 'person' and id > ${entry} order by id`;
}

export const unknownId = '0192f0c1-2345-7abc-8def-0123456789ab';
