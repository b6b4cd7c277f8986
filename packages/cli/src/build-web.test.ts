import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildWebIfChanged } from './build-web.mjs';

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(path.join(tmpdir(), 'vestibule-build-'));
});
afterEach(() => rmSync(temporary, { recursive: true }));

test.each(['a#b', 'a?b'])('refuses to build in %s, which Vite does not support', async (name) => {
  const directory = path.join(temporary, name);
  mkdirSync(directory);
  const lockFile = path.join(directory, 'lock');
  const build = { directory, output: directory, inputs: [], lockFile, vite: 'vite' };
  await expect(buildWebIfChanged(build, { node: 'node', env: {} })).rejects.toThrow(
    `Move it elsewhere: ${directory}`,
  );
});
