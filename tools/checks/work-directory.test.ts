import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createWorkDirectory } from './work-directory.ts';

afterEach(() => vi.unstubAllEnvs());

test('createWorkDirectory creates a directory with mode 1777 in TMPDIR', async () => {
  const chosen = tmpdir();
  vi.stubEnv('TMPDIR', chosen);
  const { directory, environment } = await createWorkDirectory();
  expect(path.dirname(directory)).toBe(chosen);
  expect(environment).toEqual({});
  expect((await stat(directory)).mode & 0o7777).toBe(0o1777);
  await rm(directory, { recursive: true });
});

test('createWorkDirectory sets TMPDIR only if the new directory is outside of the default one', async () => {
  const usual = tmpdir();
  vi.stubEnv('TMPDIR', undefined);
  const { directory, environment } = await createWorkDirectory();
  expect(environment).toEqual(path.dirname(directory) === usual ? {} : { TMPDIR: directory });
  await rm(directory, { recursive: true });
});

test('createWorkDirectory, as root, ignores a TMPDIR that only root may enter, because the database runs as another user', async () => {
  const locked = await mkdtemp(path.join(tmpdir(), 'vestibule-locked-'));
  vi.stubEnv('TMPDIR', locked);
  const { directory, environment } = await createWorkDirectory();
  const asRoot = process.getuid?.() === 0;
  expect(path.dirname(directory) === locked).toBe(!asRoot);
  expect(environment).toEqual(asRoot ? { TMPDIR: directory } : {});
  await rm(directory, { recursive: true });
  await rm(locked, { recursive: true });
});
