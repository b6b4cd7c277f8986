import { describe, expect, test } from 'vitest';
import { checkWordingCount, findWording } from './wording.ts';

describe('findWording', () => {
  test.each([
    '/** Whoever has the link may open it. */',
    '// Where the files are kept.',
    ' * What the log calls it.',
    'The upload goes on after a reload.',
    'Administrators are told by mail.',
  ])('finds %s', (line) => {
    expect(findWording([['a.ts', `const a = 1;\n${line}\n`]])).toEqual([`a.ts:2: ${line.trim()}`]);
  });

  test.each([
    '/** Returns the file if the caller may read it. */',
    'const whatIsSent = 1;',
    'See https://example.com/whoeverything',
  ])('accepts %s', (line) => {
    expect(findWording([['a.ts', line]])).toEqual([]);
  });
});

describe('checkWordingCount', () => {
  test('fails when the count exceeds the limit', () => {
    expect(checkWordingCount(['a', 'b'], 2)).toEqual([]);
    expect(checkWordingCount(['a', 'b', 'c'], 2)).toEqual([expect.stringContaining('3 lines use wording')]);
  });
});
