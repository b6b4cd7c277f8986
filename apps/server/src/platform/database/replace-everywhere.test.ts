/** Boundaries of a replaced address. The erasure of a person uses the pattern on rows, entries of the log and archives. */
import { expect, test } from 'vitest';
import { createPattern, replaceInJson } from './replace-everywhere.ts';

const address = createPattern(['ann@example.com'], 'address');
const replaced = (text: string) => replaceInJson(text, address ? [address] : [], 'X');

test.each([
  ['ann@example.com.pdf', 'X.pdf'],
  ['CV Ann@Example.com.docx', 'CV X.docx'],
  ['Sent to ann@example.com.', 'Sent to X.'],
])('replaces the address in %s', (text, result) => {
  expect(replaced(text)).toBe(result);
});

test.each([
  'ann@example.com.au',
  'ann@example.com.pdf.au',
  'ann@example.com.pdf-x.au',
  'ann@example.community',
  'cv-ann@example.com.pdf',
])('keeps %s, which contains another address', (text) => {
  expect(replaced(text)).toBe(text);
});
