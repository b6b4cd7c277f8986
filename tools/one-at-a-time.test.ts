/** Processes of one checkout that start together. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { oneAtATime } from './one-at-a-time.mjs';

let directory: string;
let lockFile: string;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'vestibule-lock-'));
  lockFile = path.join(directory, 'lock');
});
afterEach(() => rm(directory, { recursive: true }));

test('the second one waits until the first one has ended, and says for what', async () => {
  const said = vi.spyOn(console, 'log').mockReturnValue();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const done: string[] = [];
  const first = oneAtATime(lockFile, async () => {
    await released;
    done.push('first');
    throw new Error('the network is gone');
  });
  const second = oneAtATime(lockFile, () => Promise.resolve(done.push('second')));
  expect(said.mock.calls).toEqual([[expect.stringContaining(`If there is none, delete ${lockFile}.`)]]);
  release();
  await expect(first).rejects.toThrow('the network is gone');
  expect(await second).toBe(2);
  expect(done).toEqual(['first', 'second']);
  expect(existsSync(lockFile)).toBe(false);
  said.mockRestore();
});

test('nobody waits for a process that was killed', async () => {
  const said = vi.spyOn(console, 'log').mockReturnValue();
  await writeFile(lockFile, String(spawnSync(process.execPath, ['--version']).pid));
  expect(await oneAtATime(lockFile, () => Promise.resolve('done'))).toBe('done');
  said.mockRestore();
});
