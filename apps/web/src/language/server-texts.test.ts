import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(path.join(tmpdir(), 'vestibule-texts-'));
});
afterEach(() => rmSync(temporary, { recursive: true }));

test('the build reads texts in a checkout whose path has a percent sign', () => {
  const directory = path.join(temporary, 'a%20b', 'contract', 'src');
  mkdirSync(directory, { recursive: true });
  const file = path.join(directory, 'errors.ts');
  writeFileSync(file, `export const errors = { late: { code: 'late', message: 'Too late.' } };`);
  // Vitest replaces import().
  const script = `import { serverTexts } from './apps/web/server-texts.ts';
    await serverTexts.extract(process.argv[1], '', ({ id }) => console.log(id));`;
  expect(
    execFileSync(process.execPath, ['--input-type=module', '--eval', script, file], { encoding: 'utf8' }),
  ).toBe('late\n');
});
