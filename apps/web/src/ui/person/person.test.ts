import { describe, expect, test } from 'vitest';
import { initialsOf } from './person.tsx';

describe('initialsOf', () => {
  test.each([
    ['Ada Lovelace', 'AL'],
    ['  Ada   King  Lovelace ', 'AL'],
    ['Plato', 'P'],
    ['Jean-Luc Picard', 'JP'],
    ['Dr. (Ada) Lovelace', 'DL'],
    ['ada.lovelace@example.com', 'AL'],
    ['info@example.com', 'I'],
    ['ada.lovelace.7@example.com', 'AL'],
    ['4711@example.com', '4'],
    ['élodie ñandú', 'ÉÑ'],
    ['𝒜da 李', '𝒜李'],
    ['…', ''],
    ['', ''],
  ])('the initials of “%s” are “%s”', (name, initials) => {
    expect(initialsOf(name)).toBe(initials);
  });
});
