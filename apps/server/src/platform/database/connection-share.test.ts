import { describe, expect, test } from 'vitest';
import { runAsWorkKind, createConnectionShares } from './connection-share.ts';
import { isDatabaseUnavailable } from './database-unavailable.ts';

/** Work that runs until it is ended. */
function openEnded() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

describe('connection shares', () => {
  test('work of one kind waits while its share of the connections is in use, and other work continues', async () => {
    const share = createConnectionShares(1, 10_000);
    const first = openEnded();
    const events: string[] = [];
    const running = runAsWorkKind('a', () => share(first.work)).then(() => events.push('first'));
    const waiting = runAsWorkKind('a', () =>
      share(() => {
        events.push('second');
        return Promise.resolve();
      }),
    );
    await runAsWorkKind('b', () => share(() => Promise.resolve(events.push('other kind'))));
    await share(() => Promise.resolve(events.push('no kind')));
    expect(events).toEqual(['other kind', 'no kind']);
    first.end();
    await Promise.all([running, waiting]);
    expect(events.slice(2).toSorted()).toEqual(['first', 'second']);
  });

  test('work that waits too long for its share fails with the error of an unavailable database', async () => {
    const share = createConnectionShares(1, 1);
    const first = openEnded();
    const running = runAsWorkKind('a', () => share(first.work));
    const error = await runAsWorkKind('a', () => share(() => Promise.resolve())).catch(
      (reason: unknown) => reason,
    );
    expect(isDatabaseUnavailable(error)).toBe(true);
    first.end();
    await running;
    await expect(runAsWorkKind('a', () => share(() => Promise.resolve('free again')))).resolves.toBe(
      'free again',
    );
  });

  test('work that fails releases its share', async () => {
    const share = createConnectionShares(1, 10_000);
    await expect(
      runAsWorkKind('a', () => share(() => Promise.reject(new Error('failed')))),
    ).rejects.toThrow();
    await expect(runAsWorkKind('a', () => share(() => Promise.resolve('done')))).resolves.toBe('done');
  });
});
