import { describe, expect, test } from 'vitest';
import {
  separateNames,
  isNameFinished,
  unresolvedName,
  parseNames,
  withoutLastSeparator,
  withoutName,
} from './typed-names.ts';

/** Predicate of names with a pending lookup. */
const pending =
  (...names: string[]) =>
  (name: string) =>
    names.includes(name);

describe('typed names', () => {
  test('separateNames appends a separator for the next name (K7)', () => {
    expect(separateNames('hopper')).toBe('hopper; ');
    expect(separateNames('hopper; knuth')).toBe('hopper; knuth; ');
    expect(parseNames('hopper; knuth; ')).toEqual(['hopper', 'knuth']);
  });

  test('isNameFinished detects a new comma or semicolon (K7)', () => {
    expect(isNameFinished('hopper', 'hopper,')).toBe(true);
    expect(isNameFinished('an; hopper', 'an; hopper;')).toBe(true);
    expect(isNameFinished('', 'hopper, knuth')).toBe(true);
    expect(isNameFinished('hopper; knut', 'hopper; knuth')).toBe(false);
    expect(isNameFinished('hopper; ', 'hopper')).toBe(false);
    expect(parseNames('hopper, knuth;')).toEqual(['hopper', 'knuth']);
    expect(separateNames('hopper, knuth')).toBe('hopper; knuth; ');
  });

  test('unresolvedName returns the last typed name that has no pending lookup (K7)', () => {
    expect(unresolvedName('hopper; knu', pending('hopper'))).toBe('knu');
    expect(unresolvedName('an; knuth; ', pending('knuth'))).toBe('an');
    expect(unresolvedName('hopper; ', pending('hopper'))).toBe('');
  });

  test('withoutName removes a name and keeps the text behind it (K7)', () => {
    expect(withoutName('hopper; ', 'hopper')).toBe('');
    expect(withoutName('an; knuth; ', 'knuth')).toBe('an; ');
    expect(withoutName('hopper; knu', 'hopper')).toBe('knu');
    expect(withoutName('hopper; ada lo', 'hopper')).toBe('ada lo');
  });

  test('withoutLastSeparator removes the last separator (K7)', () => {
    expect(withoutLastSeparator('unknown@example.com; ')).toBe('unknown@example.com');
    expect(withoutLastSeparator('an; kn')).toBe('an; kn');
  });
});
