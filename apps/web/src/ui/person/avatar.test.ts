import { readFileSync } from 'node:fs';
import { contrast } from '@vestibule/contract/rules/accent';
import { describe, expect, test } from 'vitest';

const css = readFileSync(new URL('./person.css', import.meta.url), 'utf8');

/** Returns a color property of avatars for light (0) or dark (1) themes. */
function shadeOf(property: string, kind: 0 | 1): { lightness: number; chroma: number } {
  const value = new RegExp(`\\.avatar \\{[^}]*\\n  ${property}: light-dark\\((.*)\\);`).exec(css)?.[1] ?? '';
  const found = [...value.matchAll(/oklch\(([\d.]+) ([\d.]+) var\(--hue\)\)/g)].at(kind);
  return { lightness: Number(found?.[1]), chroma: Number(found?.[2]) };
}

/** Converts OKLCH to a hex color (https://bottosson.github.io/posts/oklab). Clips to sRGB as browsers do. */
function hex({ lightness, chroma }: { lightness: number; chroma: number }, hue: number): string {
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const digits = linear.map((value) => {
    const shown = Math.min(
      1,
      Math.max(0, value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055),
    );
    return Math.round(shown * 255)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${digits.join('')}`;
}

describe('avatar colors', () => {
  test.each([
    ['light', 0],
    ['dark', 1],
  ] as const)('initials have a contrast of 7 to 1 on every hue, in %s themes (G1)', (_, kind) => {
    const [ground, letters] = [shadeOf('background', kind), shadeOf('color', kind)];
    for (let hue = 0; hue < 360; hue += 1)
      expect(contrast(hex(letters, hue), hex(ground, hue)), `hue ${hue}`).toBeGreaterThanOrEqual(7);
  });
});
