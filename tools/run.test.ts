/** run.mjs runs on the Node.js of the machine, 18 or newer. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';

async function readWithImports(file: string, read = new Map<string, string>()): Promise<Map<string, string>> {
  if (read.has(file)) return read;
  const text = await readFile(file, 'utf8');
  read.set(file, text);
  for (const [, imported = ''] of text.matchAll(/from '(\.[^']+)'/g))
    await readWithImports(path.join(path.dirname(file), imported), read);
  return read;
}

test('run.mjs uses no feature that Node.js 18 lacks', async () => {
  const read = await readWithImports(path.join(import.meta.dirname, 'run.mjs'));
  expect([...read.keys()].map((file) => path.basename(file))).toContain('server-flags.mjs');
  const tooNew = [...read].filter(
    ([file, text]) =>
      !file.endsWith('.mjs') ||
      /import\.meta\.(?!url\b)|\bnavigator\.|process\.(?:loadEnvFile|features\.typescript)/.test(text),
  );
  expect(tooNew.map(([file]) => path.basename(file))).toEqual([]);
});
