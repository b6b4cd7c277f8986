import { describe, expect, test } from 'vitest';
import { archiveNames } from './file-name.ts';

describe('archiveNames', () => {
  test.each([
    ['a:b|c?.txt', 'a_b_c_.txt'],
    ['<"*">.pdf', '_____.pdf'],
    ['../up\\here', '.._up_here'],
    ['CON', '_CON'],
    ['con.txt', '_con.txt'],
    ['aux .tar.gz', '_aux .tar.gz'],
    ['COM1.log', '_COM1.log'],
    ['lpt³', '_lpt³'],
    ['trailing.', 'trailing'],
    ['trailing. . ', 'trailing'],
    ['. .', 'file'],
    ['Contract.txt', 'Contract.txt'],
    ['COM10.txt', 'COM10.txt'],
    ['.profile', '.profile'],
    ['Überblick (2) – größer.pdf', 'Überblick (2) – größer.pdf'],
  ])('replaces names that Windows cannot create: %s', (name, expected) => {
    expect(archiveNames([name])).toEqual([expected]);
  });

  test('numbers names that become equal, ignoring case', () => {
    expect(archiveNames(['a?.txt', 'a*.txt', 'A_.TXT', 'CON', '_con'])).toEqual([
      'a_.txt',
      'a_ (2).txt',
      'A_ (3).TXT',
      '_CON',
      '_con (2)',
    ]);
  });
});
