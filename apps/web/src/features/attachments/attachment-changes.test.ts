import type { Attachment } from '@vestibule/contract/attachments';
import { expect, test, vi } from 'vitest';
import { toast } from '../../ui/toast/toast.tsx';
import { withoutSkipped } from '../../ui/grid/selection/skipped.ts';
import { downloadLeavesOut, downloadSelected, manyChanges } from './attachment-changes.ts';

const file = (id: string, may: Partial<Attachment['may']>, status: Attachment['status'] = 'ready') =>
  ({ id, status, may: { open: false, rename: false, share: false, delete: false, ...may } }) as Attachment;

/** One’s own, one that is shared with oneself, and one of which an administrator only sees that it is there. */
const own = file('own', { open: true, rename: true, share: true, delete: true });
const shared = file('shared', { open: true });
const seen = file('seen', { delete: true });
const rows = [own, shared, seen];
const selected = { selection: { ids: rows.map(({ id }) => id) }, count: 3, rows, clear() {} };

test.each([
  ['shareWithEveryone', ['own'], '2 belong to someone else'],
  ['stopSharing', ['own'], '2 belong to someone else'],
  ['delete', ['own', 'seen'], '1 belongs to someone else'],
])('%s says before of how many selected files it cannot be done, and why (K7)', (action, ids, why) => {
  const change = manyChanges().find((one) => one.action === action);
  expect(withoutSkipped(selected, change?.skipReason)).toMatchObject({
    selection: { ids },
    skipReasons: [why],
  });
});

test('a download says before how many of the selected files cannot be opened (K7)', () => {
  const scanned = file('scanned', { open: true }, 'scanning');
  const some = { ...selected, selection: { ids: ['own', 'seen', 'scanned'] }, rows: [own, seen, scanned] };
  expect(withoutSkipped(some, downloadLeavesOut)).toMatchObject({
    selection: { ids: ['own'] },
    skipReasons: ['2 cannot be opened'],
  });
});

test('a file that is gone when the ZIP is made is told by the name that it had (K7)', async () => {
  const reasonText = { code: 'attachment_skipped.gone', message: 'No longer exists.', values: {} };
  const gone = { id: 'own', label: '', person: null, reason: '', reasonText };
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ path: '/', until: '', skipped: [gone] })));
  vi.stubGlobal('document', { createElement: () => ({ click() {} }) });
  const told = vi.spyOn(toast, 'failure');
  await downloadSelected({ ...selected, rows: [{ ...own, name: 'plan.txt' }, shared] });
  vi.unstubAllGlobals();
  expect(told).toHaveBeenCalledWith('Not in the ZIP: plan.txt (No longer exists.)');
});
