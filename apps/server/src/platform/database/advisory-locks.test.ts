/** Advisory locks have distinct numbers, so that unrelated features do not block each other. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { advisoryLocks } from './advisory-locks.ts';

test('every lock has a distinct number', () => {
  const numbers = Object.values(advisoryLocks);
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('every statement that takes a lock uses a number of advisoryLocks', () => {
  const directory = path.join(import.meta.dirname, '..', '..');
  const takers = globSync('**/*.ts', { cwd: directory }).filter(
    (file) =>
      !file.endsWith('.test.ts') &&
      /pg_(?:try_)?advisory/.test(readFileSync(path.join(directory, file), 'utf8')),
  );
  expect(takers.length).toBeGreaterThan(5);
  const withAnotherNumber = takers.filter((file) => {
    const code = readFileSync(path.join(directory, file), 'utf8');
    const count = (pattern: RegExp) => code.match(pattern)?.length ?? 0;
    return count(/\badvisoryLocks\.\w+/g) < count(/pg_(?:try_)?advisory/g);
  });
  expect(withAnotherNumber).toEqual([]);
});
