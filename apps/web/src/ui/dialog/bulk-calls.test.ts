import { describe, expect, test, vi } from 'vitest';
import { callUntilDone } from './bulk-calls.ts';

const skipped = (count: number) =>
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
  return Promise.resolve({ done, skipped: skipped(60), skippedCount: 70, rest });
};

describe('callUntilDone', () => {
  test('sends requests sequentially and adds up their results (J2)', async () => {
    const reported = progress();
    const answer = await callUntilDone(partsOf([2_000, 3_000, 10]), '0', reported);
    expect(answer).toMatchObject({ done: 5_010, skippedCount: 210 });
    expect(answer.skipped).toHaveLength(100);
    expect(reported.onProgress.mock.calls).toEqual([[2_070], [5_140], [5_220]]);
  });

  test('returns the results up to and including the current request after an abort (J2)', async () => {
    const stop = new AbortController();
    const answer = await callUntilDone(partsOf([2_000, 3_000, 10]), '0', {
      signal: stop.signal,
      onProgress: (reached) => {
        if (reached > 5_000) stop.abort();
      },
    });
    expect(answer).toMatchObject({ done: 5_000, skippedCount: 140 });
    expect(answer.failure).toBeUndefined();
  });

  test('returns the results before a failure together with the error (J2)', async () => {
    const parts = partsOf([2_000, 3_000]);
    const act = (selection: string) =>
      selection === '1' ? Promise.reject(new Error('unreachable')) : parts(selection);
    expect(await callUntilDone(act, '0', progress())).toMatchObject({
      done: 2_000,
      failure: new Error('unreachable'),
    });
  });
});
