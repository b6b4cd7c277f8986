import { describe, expect, test } from 'vitest';
import { themeOfShortcut } from './theme-switch.ts';

function press(code: string, held: string[] = ['Control', 'Alt']) {
  return themeOfShortcut({
    code,
    ctrlKey: held.includes('Control'),
    altKey: held.includes('Alt'),
    metaKey: held.includes('Meta'),
    repeat: held.includes('repeat'),
    getModifierState: (key) => held.includes(key),
  });
}

describe('themeOfShortcut', () => {
  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])('Ctrl+Alt+%d chooses the theme at that index (G1)', (digit) => {
    expect(press(`Digit${digit}`)?.index).toBe(digit);
    expect(press(`Numpad${digit}`)?.index).toBe(digit);
  });

  test('AltGr+7, which types a brace on a German keyboard, does not change the theme', () => {
    expect(press('Digit7', ['Control', 'Alt', 'AltGraph'])).toBeUndefined();
  });

  test.each([
    ['without Alt', 'Digit1', ['Control']],
    ['without Ctrl', 'Digit1', ['Alt']],
    ['with the system key', 'Digit1', ['Control', 'Alt', 'Meta']],
    ['held down', 'Digit1', ['Control', 'Alt', 'repeat']],
    ['of another key', 'KeyA', ['Control', 'Alt']],
  ])('a key press %s does not change the theme', (_, code, held) => {
    expect(press(code, held)).toBeUndefined();
  });
});
