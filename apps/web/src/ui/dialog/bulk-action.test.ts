import { describe, expect, test, vi } from 'vitest';
import { toast } from '../toast/toast.tsx';
import { runBulkAction } from './bulk-action.ts';

describe('runBulkAction', () => {
  test('a skipped row that no longer exists is reported by its name in the grid (J2)', async () => {
    const failureToast = vi.spyOn(toast, 'failure');
    const reasonText = { code: 'skipped.gone', message: 'No longer exists.', values: {} };
    await runBulkAction(
      { selection: { ids: ['1'] }, count: 1, rows: [{ id: '1', name: 'plan.txt' }], clear() {} },
      {
        act: () =>
          Promise.resolve({ skipped: [{ id: '1', label: '', person: null, reasonText }], skippedCount: 1 }),
        nameOf: ({ name }) => name,
        countOf: (count) => `${count} file`,
        onDone() {},
      },
    );
    expect(failureToast).toHaveBeenCalledWith('1 file skipped: plan.txt (No longer exists.)');
  });
});
