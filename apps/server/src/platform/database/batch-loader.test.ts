/** Concurrent calls share a statement, and each call gets its own result. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBatchLoader } from './batch-loader.ts';

test('the calls of one turn of the event loop form one batch, in order', async () => {
  const batches: number[][] = [];
  const double = createBatchLoader(async (numbers: number[]) => {
    batches.push(numbers);
    return numbers.map((number) => number * 2);
  });
  expect(await Promise.all([double(1), double(2), double(2)])).toEqual([2, 4, 4]);
  expect(await double(3)).toBe(6);
  expect(batches).toEqual([[1, 2, 2], [3]]);
});

test('a failure rejects all calls of its batch and no later call', async () => {
  let broken = true;
  const load = createBatchLoader(async (keys: string[]) => {
    if (broken) throw new Error('gone');
    return keys;
  });
  expect(await Promise.allSettled([load('a'), load('b')])).toMatchObject([
    { status: 'rejected', reason: { message: 'gone' } },
    { status: 'rejected', reason: { message: 'gone' } },
  ]);
  broken = false;
  expect(await load('c')).toBe('c');
});

test('further calls form one batch while the maximum number of batches is running', async () => {
  const batches: { keys: number[]; finish: () => void }[] = [];
  const load = createBatchLoader(
    (keys: number[]) =>
      new Promise<number[]>((resolve) => {
        batches.push({ keys, finish: () => resolve(keys) });
      }),
    1,
  );
  const first = load(1);
  await nextTurn();
  const others = [load(2), load(3)];
  await nextTurn();
  others.push(load(4));
  await nextTurn();
  expect(batches.map(({ keys }) => keys)).toEqual([[1]]);
  batches[0]?.finish();
  expect(await first).toBe(1);
  await nextTurn();
  expect(batches.map(({ keys }) => keys)).toEqual([[1], [2, 3, 4]]);
  batches[1]?.finish();
  expect(await Promise.all(others)).toEqual([2, 3, 4]);
});

test('keys that share a part run in separate batches, in order', async () => {
  const batches: string[][] = [];
  const load = createBatchLoader(
    async (keys: string[]) => {
      batches.push(keys);
      return keys;
    },
    2,
    (key) => key.split(''),
  );
  expect(await Promise.all(['ab', 'cd', 'bc', 'ef', 'ca'].map(load))).toEqual(['ab', 'cd', 'bc', 'ef', 'ca']);
  expect(batches).toEqual([['ab', 'cd', 'ef'], ['bc'], ['ca']]);
});

test('a key that fails its batch rejects only its call, because the keys are retried one by one', async () => {
  const batches: string[][] = [];
  const load = createBatchLoader(async (keys: string[]) => {
    batches.push(keys);
    if (keys.includes('bad')) throw new Error('refused');
    return keys.map((key) => key.toUpperCase());
  });
  expect(await Promise.allSettled(['a', 'bad', 'b'].map(load))).toMatchObject([
    { value: 'A' },
    { reason: { message: 'refused' } },
    { value: 'B' },
  ]);
  expect(batches).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
});

test('a lost connection rejects all calls without a retry, because the outcome is unknown', async () => {
  let times = 0;
  const load = createBatchLoader((keys: string[]): Promise<string[]> => {
    times += 1;
    return Promise.reject(Object.assign(new Error(`gone with ${keys.join()}`), { code: 'ECONNRESET' }));
  });
  expect(await Promise.allSettled([load('a'), load('b')])).toMatchObject([
    { reason: { code: 'ECONNRESET' } },
    { reason: { code: 'ECONNRESET' } },
  ]);
  expect(times).toBe(1);
});
