import { expect, test, vi } from 'vitest';
import { createShutdown } from './shutdown.ts';

test('a step that fails or hangs does not prevent the others', async () => {
  const errors = vi.spyOn(console, 'error').mockReturnValue();
  const shutdown = createShutdown();
  const done: string[] = [];
  shutdown.onClose(() => done.push('database'));
  shutdown.onClose(() => Promise.reject(new Error('the mail server is gone')));
  shutdown.onClose(() => new Promise(() => {}), 10);
  shutdown.onClose(() => done.push('requests'));
  expect(shutdown.isClosing()).toBe(false);
  expect(await Promise.all([shutdown.close(60_000), shutdown.close(60_000)])).toEqual([true, true]);
  expect(done).toEqual(['requests', 'database']);
  expect(errors.mock.calls).toEqual([[new Error('the mail server is gone')]]);
  errors.mockRestore();
});

test('hanging steps end after the total time limit, and the others still run', async () => {
  const shutdown = createShutdown();
  const done: string[] = [];
  shutdown.onClose(() => done.push('database'));
  for (const _ of [1, 2, 3]) shutdown.onClose(() => new Promise(() => {}), 3_600_000);
  expect(await shutdown.close(10)).toBe(false);
  expect(done).toEqual(['database']);
});
