/** docs/build-a-portal.md shows the files of the example extension, and describes every field of the API. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../install.mjs';

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const template = 'packages/create-vestibule/template';
const document = read('docs/build-a-portal.md');

const blocks = [...document.matchAll(/`(extensions\/[^`\n]+)`:\n\n```\w+\n(.*?)^```$/gms)].map(
  ([, file = '', code = '']) => ({ file, code }),
);

test.each(blocks)('the code block of $file is the file of the template', ({ file, code }) => {
  expect(code).toBe(read(path.join(template, file)));
});

test('the document shows the files of the example extension', () => {
  const files = [
    'migrations/001-tickets.sql',
    'contract.ts',
    'extension.ts',
    'tickets.test.ts',
    'screens.tsx',
    'tickets-screen.tsx',
  ];
  expect(blocks.map(({ file }) => file)).toEqual(
    expect.arrayContaining(files.map((file) => `extensions/tickets/${file}`)),
  );
});

/** Returns the names of the fields in the type or object that begins with `start`. */
function fieldsOf(file: string, start: string): string[] {
  const source = read(file);
  const [body = ''] = source.slice(source.indexOf(start) + start.length).split('\n};');
  return [...body.matchAll(/^ {2}(\w+)\??[:(]/gm)].map(([, name = '']) => name);
}

test.each([
  ['extension.ts', 'Context = ExtensionContext<Settings>,\n> = {'],
  ['extension.ts', '= CoreDeps & {'],
  ['hooks.ts', 'type Changes = {'],
])('every field of %s after "%s" is described', (file, start) => {
  const fields = fieldsOf(`apps/server/src/platform/extensions/${file}`, start);
  expect(fields.length).toBeGreaterThan(4);
  expect(
    fields.filter((name) => !document.includes(`\`${name}\``) && !document.includes(`\`${name}.`)),
  ).toEqual([]);
});
