import { expect, test } from 'vitest';
import { asAsked, isFinished, lookedFor, namesIn, withoutEnd, withoutName } from './typed-names.ts';

/** Those that are being looked up. */
const asked =
  (...names: string[]) =>
  (name: string) =>
    names.includes(name);

test('names that were asked about stand apart from what is typed next (K7)', () => {
  expect(asAsked('hopper')).toBe('hopper; ');
  expect(asAsked('hopper; knuth')).toBe('hopper; knuth; ');
  expect(namesIn('hopper; knuth; ')).toEqual(['hopper', 'knuth']);
});

test('a comma or a semicolon finishes a name; what is typed on, or taken out, finishes none (K7)', () => {
  expect(isFinished('hopper', 'hopper,')).toBe(true);
  expect(isFinished('an; hopper', 'an; hopper;')).toBe(true);
  expect(isFinished('', 'hopper, knuth')).toBe(true);
  expect(isFinished('hopper; knut', 'hopper; knuth')).toBe(false);
  expect(isFinished('hopper; ', 'hopper')).toBe(false);
  expect(namesIn('hopper, knuth;')).toEqual(['hopper', 'knuth']);
  expect(asAsked('hopper, knuth')).toBe('hopper; knuth; ');
});

test('whoever is looked for is the last whom nobody was asked about (K7)', () => {
  expect(lookedFor('hopper; knu', asked('hopper'))).toBe('knu');
  expect(lookedFor('an; knuth; ', asked('knuth'))).toBe('an');
  expect(lookedFor('hopper; ', asked('hopper'))).toBe('');
});

test('a name that is found is gone; what is typed behind it stays as it is (K7)', () => {
  expect(withoutName('hopper; ', 'hopper')).toBe('');
  expect(withoutName('an; knuth; ', 'knuth')).toBe('an; ');
  expect(withoutName('hopper; knu', 'hopper')).toBe('knu');
  expect(withoutName('hopper; ada lo', 'hopper')).toBe('ada lo');
});

test('one step back leads from behind a name to its end (K7)', () => {
  expect(withoutEnd('nobody@example.com; ')).toBe('nobody@example.com');
  expect(withoutEnd('an; kn')).toBe('an; kn');
});
