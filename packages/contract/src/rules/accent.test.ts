import { describe, expect, test } from 'vitest';
import { contrast, deriveAccent, type Background } from './accent.ts';

const backgrounds: Record<string, Background> = {
  light: { kind: 'light', surfaces: ['#ffffff', '#f5f6f2', '#ebede7'] },
  warm: { kind: 'light', surfaces: ['#fff9f6', '#f6ebe5', '#ecdcd3'] },
  dark: { kind: 'dark', surfaces: ['#1c2328', '#14191d', '#242c32'] },
  violet: { kind: 'dark', surfaces: ['#272034', '#1d1827', '#302841'] },
  'high contrast, light': { kind: 'light', surfaces: ['#ffffff', '#eef2ff'], highContrast: true },
  'high contrast, dark': { kind: 'dark', surfaces: ['#000000', '#1f1f1f'], highContrast: true },
};
const channels = ['00', '55', 'aa', 'ff'];
const colours = channels.flatMap((r) => channels.flatMap((g) => channels.map((b) => `#${r}${g}${b}`)));

test('contrast returns the ratio that WCAG defines', () => {
  expect(contrast('#ffffff', '#000000')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.478, 3);
});

describe.each(Object.entries(backgrounds))('deriveAccent on a background that is %s', (_, background) => {
  test.each(colours)(
    'derives from %s an accent with enough contrast as text and as a background (G1)',
    (colour) => {
      const { accent, hover, text, soft } = deriveAccent(colour, background);
      const minimum = background.highContrast ? 7 : 4.5;
      for (const surface of [...background.surfaces, soft])
        expect(contrast(accent, surface)).toBeGreaterThanOrEqual(minimum);
      for (const back of [accent, hover]) expect(contrast(text, back)).toBeGreaterThanOrEqual(minimum);
      for (const shade of [accent, hover, text, soft]) expect(shade).toMatch(/^#[\da-f]{6}$/);
    },
  );
});

test('deriveAccent returns a readable colour unchanged, and preserves the hue of an unreadable one', () => {
  expect(deriveAccent('#0B6653', backgrounds['light']!).accent).toBe('#0b6653');
  // The colour is a dark yellow: red and green are similar, and blue is low.
  const { accent } = deriveAccent('#ffd400', backgrounds['light']!);
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(accent.slice(at, at + 2), 16));
  expect(red).toBeGreaterThan(green);
  expect(green).toBeGreaterThan(blue);
  expect(accent).not.toBe('#ffd400');
});
