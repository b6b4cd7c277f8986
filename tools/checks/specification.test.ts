import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../install.mjs';

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const specification = read('docs/specification.md');

/** Statements A1 to Q4 of the specification. N is one statement without a number. */
const statements = Object.entries({
  A: 7,
  B: 3,
  C: 11,
  D: 16,
  E: 3,
  F: 6,
  G: 4,
  H: 6,
  I: 3,
  J: 2,
  K: 7,
  L: 5,
  M: 9,
  N: 0,
  O: 7,
  P: 4,
  Q: 4,
}).flatMap(([letter, count]) =>
  count === 0 ? [letter] : Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
);

test('docs/specification.md lists every statement once', () => {
  const listed = [...specification.matchAll(/^- \*\*([A-Q]\d*)\*\*/gm)].map(([, id]) => id);
  expect(listed).toEqual(statements);
});

test('every file that docs/specification.md names exists', () => {
  const files = [...specification.matchAll(/^ {2}- in: (.+)$/gm)].flatMap(([, list = '']) =>
    [...list.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

test('every test that docs/specification.md names exists', () => {
  const named = [...specification.matchAll(/^ {2}- test: `([^`]+)` › (.+)$/gm)].map(
    ([, file = '', title = '']) => ({
      file,
      title,
    }),
  );
  expect(named.length).toBeGreaterThan(150);
  const missing = named.filter(({ file, title }) => !hasTest(file, title));
  expect(missing).toEqual([]);
});

function hasTest(file: string, title: string): boolean {
  if (!existsSync(path.join(root, file))) return false;
  const source = read(file).replaceAll("\\'", "'");
  return [`'`, `"`, '`'].some((quote) => source.includes(`${quote}${title}${quote}`));
}
