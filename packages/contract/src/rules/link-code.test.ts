import { expect, test } from 'vitest';
import { readLinkAddress, readLinkCode } from './link-code.ts';

const code = '7Zf3kQmN5tVbXw9RyPaHcE';

test.each([
  '>',
  '"',
  ')',
  '),',
  ').',
  '”',
  '%3E',
  '%253E',
  '&gt;',
  '=',
  '\n',
  '\u200b',
  '. Please sign up',
  '谢谢',
])('readLinkCode removes %j after a code', (after) => {
  expect(readLinkCode(code + after)).toBe(code);
});

test.each([' ', '<', '"', '\u200b', '\u00a0', '3D'])('readLinkCode removes %j before a code', (before) => {
  expect(readLinkCode(before + code)).toBe(code);
});

test.each([
  `${code}x`,
  `${code}0`,
  code.slice(1),
  `${code.slice(1)}.`,
  `${code.slice(1)}0`,
  `${code.slice(1)}l.`,
  `a.${code}`,
  `3${code}`,
  '',
])('readLinkCode returns %j unchanged, because it is not a code', (text) =>
  expect(readLinkCode(text)).toBe(text),
);

test('readLinkCode returns a code that starts with 3D', () => {
  expect(readLinkCode(`3D${code.slice(2)}`)).toBe(`3D${code.slice(2)}`);
});

test('readLinkAddress removes characters after an address', () => {
  for (const after of ['', '.', '>', '"', ').', '\u200b', '\u00a0'])
    expect(readLinkAddress(`ann@example.com${after}`)).toBe('ann@example.com');
});
