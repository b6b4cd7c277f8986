import { expect, test, vi } from 'vitest';
import { createClosing } from './closing.ts';

test('a step that fails or hangs does not prevent the others', async () => {
  const errors = vi.spyOn(console, 'error').mockReturnValue();
  const closing = createClosing();
  const done: string[] = [];
  closing.onClose(() => done.push('database'));
  closing.onClose(() => Promise.reject(new Error('the mail server is gone')));
  closing.onClose(() => new Promise(() => {}), 10);
  closing.onClose(() => done.push('requests'));
  expect(closing.isClosing()).toBe(false);
  expect(await Promise.all([closing.close(60_000), closing.close(60_000)])).toEqual([true, true]);
  expect(done).toEqual(['requests', 'database']);
  expect(errors.mock.calls).toEqual([[new Error('the mail server is gone')]]);
  errors.mockRestore();
});

test('hanging steps end after the total time limit, and the others still run', async () => {
  const closing = createClosing();
  const done: string[] = [];
  closing.onClose(() => done.push('database'));
  for (const _ of [1, 2, 3]) closing.onClose(() => new Promise(() => {}), 3_600_000);
  expect(await closing.close(10)).toBe(false);
  expect(done).toEqual(['database']);
});
