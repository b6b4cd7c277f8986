import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTimeLimit, limitIdleTime } from './time-limits.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const unavailable = { name: 'StorageError', reason: 'unavailable' };

describe('createTimeLimit', () => {
  test('a call that does not return fails after its limit, and its late result is discarded', async () => {
    const within = createTimeLimit();
    const { promise, resolve } = Promise.withResolvers<string>();
    const discarded: string[] = [];
    const result = within(
      1_000,
      () => promise,
      (late) => discarded.push(late),
    );
    vi.advanceTimersByTime(1_000);
    await expect(result).rejects.toMatchObject(unavailable);
    resolve('file');
    await nextTurn();
    expect(discarded).toEqual(['file']);
  });

  test('further calls fail at once while two calls have not returned', async () => {
    const within = createTimeLimit();
    const { promise, resolve } = Promise.withResolvers<void>();
    const hanging = [1, 2].map(() => within(1_000, () => promise));
    vi.advanceTimersByTime(1_000);
    for (const one of hanging) await expect(one).rejects.toMatchObject(unavailable);
    const work = vi.fn<() => Promise<string>>(() => Promise.resolve('done'));
    await expect(within(1_000, work)).rejects.toMatchObject(unavailable);
    expect(work).not.toHaveBeenCalled();
    resolve();
    await nextTurn();
    expect(await within(1_000, work)).toBe('done');
  });
});

describe('limitIdleTime', () => {
  test('a source that stops sending is destroyed, and the stream fails', async () => {
    const source = new Readable({ read() {} });
    source.push('x');
    const limited = limitIdleTime(source, 1_000);
    const content = buffer(limited);
    await once(limited, 'data');
    vi.advanceTimersByTime(1_000);
    await expect(content).rejects.toMatchObject(unavailable);
    expect(source.destroyed).toBe(true);
  });

  test('a reader may pause longer than the limit', async () => {
    const half = Buffer.alloc(100_000, 'x');
    const limited = limitIdleTime(Readable.from([half, half], { objectMode: false }), 1_000);
    await once(limited, 'readable');
    vi.advanceTimersByTime(60_000);
    expect((await buffer(limited)).length).toBe(200_000);
  });

  test('a stream that is not read to its end destroys its source', async () => {
    const source = Readable.from(['x']);
    limitIdleTime(source, 1_000).destroy();
    await once(source, 'close');
    expect(source.destroyed).toBe(true);
  });

  test('an error of the source becomes a StorageError', async () => {
    const source = new Readable({
      read: () => void source.destroy(new Error('EIO')),
    });
    await expect(buffer(limitIdleTime(source, 1_000))).rejects.toMatchObject(unavailable);
  });
});
