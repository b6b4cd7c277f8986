import { expect, test } from 'vitest';
import { readObject, readVerbs } from './palette-commands.ts';

const verbs = [
  'Revoke',
  'Renew',
  'Remove',
  'Copy link',
  'Resend',
  'Make administrator',
  'Make member',
  'Sign out everywhere',
].map((label) => ({
  label,
}));
const read = (typed: string) => readVerbs(typed, verbs).map(({ verb, rest }) => [verb.label, rest]);

test.each([
  ['revoke paula', [['Revoke', 'paula']]],
  ['REVOKE  Paula Tester', [['Revoke', 'Paula Tester']]],
  ['paula tester revoke', [['Revoke', 'paula tester']]],
  ['paula, copy link', [['Copy link', 'paula']]],
  ['copy paula', [['Copy link', 'paula']]],
  ['copy link paula', [['Copy link', 'paula']]],
  ['administrator paula', [['Make administrator', 'paula']]],
  ['resend paula', [['Resend', 'paula']]],
])('readVerbs finds the verb in "%s"', (typed, expected) => {
  expect(read(typed)).toEqual(expected);
});

test('readVerbs ignores prefixes shorter than four letters', () => {
  expect(read('rem meyer')).toEqual([]);
  expect(read('Renata Meyer')).toEqual([]);
  expect(read('rene meyer')).toEqual([['Renew', 'meyer']]);
});

test('readVerbs returns a verb alone only when a space follows', () => {
  expect(read('revoke')).toEqual([]);
  expect(read('revoke ')).toEqual([['Revoke', '']]);
  expect(read('copy ')).toEqual([]);
  expect(read('')).toEqual([]);
  expect(read('sign out')).toEqual([]);
  expect(read('make member')).toEqual([]);
  expect(read('make member paula')).toEqual([['Make member', 'paula']]);
});

test('readVerbs reads other languages and ignores accents', () => {
  const german = [{ label: 'Link kopieren' }, { label: 'Gültig machen' }];
  expect(readVerbs('link kopieren paula', german)[0]?.rest).toBe('paula');
  expect(readVerbs('paula kopieren', german)[0]?.rest).toBe('paula');
  expect(readVerbs('gultig paula', german)[0]?.rest).toBe('paula');
});

test('readObject splits at the last comma', () => {
  expect(readObject('paula@example.com, ')).toEqual({ object: 'paula@example.com', action: '' });
  expect(readObject('Minutes, of March.txt, cop')).toEqual({
    object: 'Minutes, of March.txt',
    action: 'cop',
  });
  expect(readObject('paula')).toBeNull();
  expect(readObject(',paula')).toBeNull();
});
