import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withFileLock } from './file-lock.mjs';

let directory: string;
let lockFile: string;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'vestibule-lock-'));
  lockFile = path.join(directory, 'lock');
});
afterEach(() => rm(directory, { recursive: true }));

test('the second caller of withFileLock waits for the first and prints a message', async () => {
  const said = vi.spyOn(console, 'log').mockReturnValue();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const done: string[] = [];
  const first = withFileLock(lockFile, async () => {
    await released;
    done.push('first');
    throw new Error('the network is gone');
  });
  const second = withFileLock(lockFile, () => Promise.resolve(done.push('second')));
  expect(said.mock.calls).toEqual([['Waiting for another process that installs or builds.']]);
  release();
  await expect(first).rejects.toThrow('the network is gone');
  expect(await second).toBe(2);
  expect(done).toEqual(['first', 'second']);
  expect(existsSync(lockFile)).toBe(false);
  said.mockRestore();
});

test('withFileLock takes over a stale lock, regardless of its content', async () => {
  const said = vi.spyOn(console, 'log').mockReturnValue();
  await writeFile(lockFile, String(process.pid));
  expect(await withFileLock(lockFile, () => Promise.resolve('done'), { staleAfterMs: 0 })).toBe('done');
  expect(existsSync(lockFile)).toBe(false);
  said.mockRestore();
});

test('withFileLock touches the lock while working', async () => {
  await withFileLock(lockFile, async () => {
    await utimes(lockFile, 0, 0);
    await expect.poll(async () => (await stat(lockFile)).mtimeMs).toBeGreaterThan(0);
  });
});

test('aborting a wait does not remove the lock of the holder', async () => {
  const said = vi.spyOn(console, 'log').mockReturnValue();
  await writeFile(lockFile, '');
  const interrupted = new AbortController();
  const waiting = withFileLock(lockFile, () => Promise.resolve(), { signal: interrupted.signal });
  interrupted.abort();
  await expect(waiting).rejects.toThrow('aborted');
  expect(existsSync(lockFile)).toBe(true);
  said.mockRestore();
});
