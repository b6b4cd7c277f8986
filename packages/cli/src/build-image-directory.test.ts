import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { buildImageDirectory } from './build-image-directory.ts';
import type { Portal } from './project.ts';

let temporary: string;
/** Below two directories of the test: a faulty build of `..` deletes only these. */
let directory: string;
const file = (...parts: string[]) => path.join(directory, ...parts);
beforeEach(() => {
  temporary = mkdtempSync(path.join(tmpdir(), 'vestibule-build-'));
  directory = path.join(temporary, 'parent', 'portal');
  vi.spyOn(console, 'log').mockImplementation(() => {});
  mkdirSync(file('.vestibule', 'web'), { recursive: true });
  mkdirSync(file('extensions', 'tickets'), { recursive: true });
  writeFileSync(file('package.json'), '{}');
  writeFileSync(file('package-lock.json'), '{ "packages": {} }');
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(temporary, { recursive: true });
});

const build = (...parameters: string[]) =>
  buildImageDirectory(
    { directory, extensions: file('extensions'), builtWeb: file('.vestibule', 'web') } as Portal,
    parameters,
  );

test('a new build replaces the earlier one and keeps the data of a site that ran in it', async () => {
  await build();
  mkdirSync(file('dist', '.data', 'attachments'), { recursive: true });
  writeFileSync(file('dist', '.data', 'secret'), 'secret');
  writeFileSync(file('dist', 'extensions', 'removed.ts'), '');
  await build();
  expect(readFileSync(file('dist', '.data', 'secret'), 'utf8')).toBe('secret');
  expect(existsSync(file('dist', 'extensions', 'removed.ts'))).toBe(false);
  expect(existsSync(file('dist', 'Dockerfile'))).toBe(true);
});

test.each(['.', '..', 'extensions'])('refuses %s and deletes nothing', (name) => {
  expect(() => build(name)).toThrow(`${name} is not a directory of an earlier build.`);
  expect(existsSync(file('extensions', 'tickets'))).toBe(true);
});
