/** Whoever else works on this machine reads nothing in DATA_DIR (security 15). */
import { chmod, chown, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareDataDirectory } from './data-directory.ts';

let parent: string;
let directory: string;
const umask = process.umask();
beforeEach(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'vestibule-data-'));
  directory = path.join(parent, 'data');
});
afterEach(async () => {
  process.umask(umask);
  await rm(parent, { recursive: true });
});

/** The mode of the directory once it was prepared. */
async function prepared(mayBeEntered = false): Promise<string> {
  prepareDataDirectory(directory, { mayBeEntered });
  return ((await stat(directory)).mode & 0o7777).toString(8);
}

test("a directory that anybody could read is its user's alone from then on", async () => {
  await mkdir(directory);
  await chmod(directory, 0o755);
  expect(await prepared(true)).toBe('711');
  expect(await prepared()).toBe('700');
  await chmod(directory, 0o500);
  expect(await prepared(true)).toBe('500');
});

test('one that many users share on purpose stays as it is', async () => {
  await mkdir(directory);
  await chmod(directory, 0o1777);
  expect(await prepared()).toBe('1777');
});

test.runIf(process.getuid?.() === 0)('one that belongs to another user stays as it is', async () => {
  await mkdir(directory);
  await chmod(directory, 0o755);
  await chown(directory, 12_345, 12_345);
  expect(await prepared()).toBe('755');
});
