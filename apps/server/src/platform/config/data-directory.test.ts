/** Other users of the machine cannot read DATA_DIR (security 15). */
import fs from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { prepareDataDirectory } from './data-directory.ts';

let parent: string;
let directory: string;
const umask = process.umask();
beforeEach(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'vestibule-data-'));
  directory = path.join(parent, 'data');
});
afterEach(async () => {
  vi.restoreAllMocks();
  process.umask(umask);
  await rm(parent, { recursive: true });
});

/** Prepares the directory and returns its mode. */
async function prepared(hasDatabase = false): Promise<string> {
  prepareDataDirectory(directory, { hasDatabase });
  return ((await stat(directory)).mode & 0o7777).toString(8);
}

test('read permission for other users is removed from an existing directory', async () => {
  await mkdir(directory);
  for (const [mode, after] of [
    [0o755, '711'],
    [0o711, '711'],
    [0o700, '700'],
    [0o500, '500'],
  ] as const) {
    await chmod(directory, mode);
    expect(await prepared(true)).toBe(after);
    // The mode stays the same for a start without an embedded database.
    expect(await prepared()).toBe(after);
  }
});

test('the error for a directory that cannot be created names DATA_DIR (O4)', async () => {
  await writeFile(directory, '');
  directory = path.join(directory, 'below-a-file');
  await expect(prepared()).rejects.toThrow(/^DATA_DIR cannot be created at \S+ \(ENOTDIR\)\. Choose/);
});

test('a directory on a mount without file modes is accepted', async () => {
  await mkdir(directory);
  await chmod(directory, 0o755);
  vi.spyOn(fs, 'chmodSync').mockImplementation(() => {
    throw Object.assign(new Error('no modes'), { code: 'ENOTSUP' });
  });
  expect(await prepared()).toBe('755');
});

test('the mode of a directory with the sticky bit is not changed', async () => {
  await mkdir(directory);
  await chmod(directory, 0o1777);
  expect(await prepared()).toBe('1777');
});

test.runIf(process.getuid?.() === 0)(
  'the mode of a directory that belongs to another user is not changed',
  async () => {
    await mkdir(directory);
    await chmod(directory, 0o755);
    await chown(directory, 12_345, 12_345);
    expect(await prepared()).toBe('755');
  },
);

test('a directory without write access is refused only if it has the embedded database', () => {
  const denied = () => {
    throw Object.assign(new Error('denied'), { code: 'EACCES' });
  };
  vi.spyOn(fs, 'accessSync').mockImplementation(denied);
  expect(() => prepareDataDirectory(directory, { hasDatabase: true })).toThrow(
    `This user cannot write to the data directory ${directory}. Give the user write access, or set DATA_DIR to another directory.`,
  );
  expect(() => prepareDataDirectory(directory, { hasDatabase: false })).not.toThrow();
});
