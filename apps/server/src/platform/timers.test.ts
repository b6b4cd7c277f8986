import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { every, startTimers } from './timers.ts';

type Log = (details: object, message: string) => void;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a task runs at each interval, also after a failure, which is logged', async () => {
  const error = vi.fn<Log>();
  const task = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('no')).mockResolvedValue();
  const timers = startTimers([every(1_000, 'counting', task)], { error });
  await vi.advanceTimersByTimeAsync(3_500);
  expect(task).toHaveBeenCalledTimes(3);
  expect(error).toHaveBeenCalledExactlyOnceWith({ err: new Error('no') }, 'counting failed');
  await timers.stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(task).toHaveBeenCalledTimes(3);
});

test('a task that takes longer than its interval is not started twice, and does not delay other tasks', async () => {
  const long = vi.fn<() => Promise<unknown>>(() => new Promise((resolve) => void setTimeout(resolve, 2_500)));
  const short = vi.fn<() => Promise<void>>(() => Promise.resolve());
  startTimers([every(1_000, 'long', long), every(1_000, 'short', short)], { error: vi.fn<Log>() });
  await vi.advanceTimersByTimeAsync(3_999);
  expect([long.mock.calls.length, short.mock.calls.length]).toEqual([1, 3]);
  await vi.advanceTimersByTimeAsync(1);
  expect(long).toHaveBeenCalledTimes(2);
});

test('stopping aborts the running task and waits for it', async () => {
  let aborted = false;
  const task = (stopped: AbortSignal) =>
    new Promise<void>((resolve) => {
      stopped.addEventListener('abort', () => {
        aborted = true;
        setTimeout(resolve, 300);
      });
    });
  const timers = startTimers([every(1_000, 'archiving', task)], { error: vi.fn<Log>() });
  await vi.advanceTimersByTimeAsync(1_000);
  const ended = vi.fn<() => void>();
  void timers.stop().then(ended);
  await vi.advanceTimersByTimeAsync(299);
  expect([aborted, ended.mock.calls.length]).toEqual([true, 0]);
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toHaveBeenCalledOnce();
});
