import type { Attachment } from '@vestibule/contract/attachments';
import { describe, expect, test, vi } from 'vitest';
import { toast } from '../../ui/toast/toast.tsx';
import { withoutSkipped } from '../../ui/grid/skipped.ts';
import { downloadSkipReason, downloadSelected, bulkChanges } from './attachment-changes.ts';

const file = (id: string, may: Partial<Attachment['may']>, status: Attachment['status'] = 'ready') =>
  ({ id, status, may: { open: false, rename: false, share: false, delete: false, ...may } }) as Attachment;

/** An own file, a file of another user that is shared, and a file that an administrator can only see in the list. */
const own = file('own', { open: true, rename: true, share: true, delete: true });
const shared = file('shared', { open: true });
const seen = file('seen', { delete: true });
const rows = [own, shared, seen];
const selected = { selection: { ids: rows.map(({ id }) => id) }, count: 3, rows, clear() {} };

describe('file actions', () => {
  test.each([
    ['shareWithEveryone', ['own'], '2 belong to someone else'],
    ['stopSharing', ['own'], '2 belong to someone else'],
    ['delete', ['own', 'seen'], '1 belongs to someone else'],
  ])('%s skips files of others and states why (K7)', (action, ids, reason) => {
    const change = bulkChanges(() => {}).find((candidate) => candidate.action === action);
    expect(withoutSkipped(selected, change?.skipReason)).toMatchObject({
      selection: { ids },
      skipReasons: [reason],
    });
  });

  test('a download skips files that cannot be opened and states why (K7)', () => {
    const scanned = file('scanned', { open: true }, 'scanning');
    const partlyReady = {
      ...selected,
      selection: { ids: ['own', 'seen', 'scanned'] },
      rows: [own, seen, scanned],
    };
    expect(withoutSkipped(partlyReady, downloadSkipReason)).toMatchObject({
      selection: { ids: ['own'] },
      skipReasons: ['2 cannot be opened'],
    });
  });

  test('a file that no longer exists is missing from the ZIP and reported by its name (K7)', async () => {
    const reasonText = { code: 'attachment_skipped.gone', message: 'No longer exists.', values: {} };
    const gone = { id: 'own', label: '', person: null, reason: '', reasonText };
    vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ path: '/', until: '', skipped: [gone] })));
    vi.stubGlobal('document', { createElement: () => ({ click() {} }) });
    const showFailure = vi.spyOn(toast, 'failure');
    await downloadSelected({ ...selected, rows: [{ ...own, name: 'plan.txt' }, shared] });
    vi.unstubAllGlobals();
    expect(showFailure).toHaveBeenCalledWith('Not in the ZIP: plan.txt (No longer exists.)');
  });
});
