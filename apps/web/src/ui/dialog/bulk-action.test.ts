import { describe, expect, test, vi } from 'vitest';
import { toast } from '../toast/toast.tsx';
import { changeAllRows, changeAtOnce, nameSkipped, skippedText } from './bulk-action.ts';

const reasonText = { code: 'skipped.gone', message: 'No longer exists.', values: {} };

describe('changeAtOnce', () => {
  test('a skipped row that no longer exists is reported by its name in the grid (J2)', async () => {
    const failureToast = vi.spyOn(toast, 'failure');
    const skipped = [{ id: '1', label: '', person: null, reasonText }];
    await changeAtOnce(
      {
        label: 'Delete',
        danger: true,
        consequence: '',
        act: () => Promise.resolve({ done: 0, skipped, skippedCount: 1, rest: null }),
        onChanged() {},
      },
      { selection: { ids: ['1'] }, rows: [{ id: '1', name: 'plan.txt' }], clear() {} },
      { nameOf: ({ name }) => name, countOf: (count) => `${count} file` },
    );
    expect(failureToast).toHaveBeenCalledWith('1 file skipped: plan.txt (No longer exists.)');
  });
});

const createSkipped = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: String(index),
    label: '',
    person: null,
    reasonText: { code: '', message: '' },
  }));
const progress = () => ({
  signal: new AbortController().signal,
  onProgress: vi.fn<(reached: number) => void>(),
});
const partsOf = (all: number[]) => (selection: string) => {
  const index = Number(selection);
  const done = all[index] ?? 0;
  const rest = index + 1 < all.length ? String(index + 1) : null;
  return Promise.resolve({ done, skipped: createSkipped(60), skippedCount: 70, rest });
};

const selection = { ids: [] };
const changeParts = (act: (part: string) => ReturnType<ReturnType<typeof partsOf>>) => ({
  act: (part: unknown) => act(typeof part === 'string' ? part : '0'),
  onChanged: vi.fn<(count: number) => void>(),
});

describe('changeAllRows', () => {
  test('sends requests sequentially and adds up their results (J2)', async () => {
    const reported = progress();
    const change = changeParts(partsOf([2_000, 3_000, 10]));
    const response = await changeAllRows(change, selection, reported);
    expect(response).toMatchObject({ skippedCount: 210 });
    expect(response?.skipped).toHaveLength(100);
    expect(change.onChanged).toHaveBeenCalledWith(5_010, response, selection);
    expect(reported.onProgress.mock.calls).toEqual([[2_070], [5_140], [5_220]]);
  });

  test('returns the results up to and including the current request after an abort (J2)', async () => {
    const stop = new AbortController();
    const change = changeParts(partsOf([2_000, 3_000, 10]));
    const response = await changeAllRows(change, selection, {
      signal: stop.signal,
      onProgress: (reached) => {
        if (reached > 5_000) stop.abort();
      },
    });
    expect(response).toMatchObject({ skippedCount: 140 });
    expect(change.onChanged).toHaveBeenCalledWith(5_000, response, selection);
  });

  test('reports the rows that were changed before a failure, and the failure (J2)', async () => {
    const failureToast = vi.spyOn(toast, 'failure');
    const parts = partsOf([2_000, 3_000]);
    const change = changeParts((part) =>
      part === '1' ? Promise.reject(new Error('unreachable')) : parts(part),
    );
    expect(await changeAllRows(change, selection, progress())).toBeNull();
    expect(change.onChanged.mock.calls[0]?.[0]).toBe(2_000);
    expect(failureToast).toHaveBeenCalled();
  });
});

const gone = { skipped: [{ id: '1', label: '', person: null, reasonText }], skippedCount: 1 };
const ada = { id: '1', name: 'Ada', email: 'ada@example.com' };

describe('skipped rows', () => {
  test("nameSkipped returns the grid's name and address of a person who no longer exists (J2)", () => {
    expect(nameSkipped(gone, [ada], { personOf: (row) => row }).skipped[0]?.person).toEqual(ada);
  });

  test('nameSkipped returns a placeholder if neither server nor client has a name (J2)', () => {
    expect(nameSkipped(gone, [], {}).skipped[0]).toMatchObject({ label: 'Name unknown', person: null });
  });

  test("nameSkipped prefers the server's name (J2)", () => {
    const named = { ...gone, skipped: [{ id: '1', label: 'plan.txt', person: null, reasonText }] };
    const [one] = nameSkipped(named, [ada], { nameOf: ({ name }) => name }).skipped;
    expect(one?.label).toBe('plan.txt');
  });

  test('skippedText contains three names with reasons and an ellipsis if there are more (J2)', () => {
    const skipped = ['a', 'b', 'c', 'd'].map((label) => ({ id: label, label, person: null, reasonText }));
    expect(skippedText({ skipped, skippedCount: 4 })).toBe(
      'a (No longer exists.), b (No longer exists.), c (No longer exists.) …',
    );
  });
});
