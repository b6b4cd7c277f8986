import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPortal } from './create-portal.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'vestibule-create-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('creates a portal with at most 15 files, its name, and packages of this version', () => {
  expect(createPortal([path.join('work', 'my-portal')], directory)).toEqual({
    shownDirectory: path.join('work', 'my-portal'),
  });
  const portal = path.join(directory, 'work', 'my-portal');
  const files = readdirSync(portal, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  expect(files.length).toBeLessThanOrEqual(15);
  expect(files.map(({ name }) => name)).toContain('.gitignore');
  const { name, dependencies } = JSON.parse(readFileSync(path.join(portal, 'package.json'), 'utf8'));
  const { version } = JSON.parse(readFileSync(path.join(import.meta.dirname, '..', 'package.json'), 'utf8'));
  expect(name).toBe('my-portal');
  expect(dependencies['@vestibule/server']).toBe(`^${version}`);
});

test('uses the current directory if it is empty except for a repository', () => {
  mkdirSync(path.join(directory, 'portal', '.git'), { recursive: true });
  expect(createPortal(['.'], path.join(directory, 'portal'))).toEqual({ shownDirectory: '.' });
});

test.each([
  [[], 'Name one directory for the portal: npm create vestibule@latest my-portal'],
  [['a', 'b'], 'Name one directory for the portal: npm create vestibule@latest my-portal'],
  [
    ['My Portal'],
    /"My Portal" cannot be one\. Use lower-case letters, digits and hyphens, such as my-portal\./,
  ],
  [['node_modules'], /"node_modules" cannot be one/],
  [['_x'], /such as x\./],
  [['a'.repeat(215)], /cannot be one/],
  [['full'], 'full is not empty. Name a new directory: npm create vestibule@latest my-portal'],
  [['file'], 'file is a file. Name a new directory: npm create vestibule@latest my-portal'],
])('%j fails and changes nothing', (parameters, sentence) => {
  mkdirSync(path.join(directory, 'full'));
  writeFileSync(path.join(directory, 'full', 'notes.txt'), '');
  writeFileSync(path.join(directory, 'file'), '');
  expect(() => createPortal(parameters, directory)).toThrow(sentence);
  expect(readdirSync(directory)).toEqual(['file', 'full']);
  expect(readdirSync(path.join(directory, 'full'))).toEqual(['notes.txt']);
});
