import { readFileSync } from 'node:fs';
import { contrast } from '@vestibule/contract/rules/accent';
import { describe, expect, test } from 'vitest';
import { themes } from './themes.ts';

const css = readFileSync(new URL('./themes.css', import.meta.url), 'utf8');
const surfaces = ['surface', 'surface-raised', 'surface-sunken', 'surface-hover', 'surface-glow'];

/** WCAG 2.2 AA: 4.5 for text (1.4.3), 3 for controls and the focus ring (1.4.11). */
const pairs: [foreground: string, backgrounds: string[], ratio: number][] = [
  ['text', [...surfaces, 'accent-soft', 'danger-soft', 'success-soft', 'warning-soft'], 4.5],
  ['text-muted', surfaces, 4.5],
  ['accent', [...surfaces, 'accent-soft'], 4.5],
  ['accent-text', ['accent', 'accent-hover'], 4.5],
  ['danger', [...surfaces, 'danger-soft'], 4.5],
  ['danger-text', ['danger', 'danger-hover'], 4.5],
  ['success', [...surfaces, 'success-soft'], 4.5],
  ['warning', [...surfaces, 'warning-soft'], 4.5],
  ['line-strong', surfaces, 3],
  ['focus', [...surfaces, 'accent-soft'], 3],
  // The announcement of the theme's name has inverted colors.
  ['surface', ['text'], 4.5],
];

describe.each(themes)('theme $id', ({ id, kind, ...theme }) => {
  const tokens = tokensOf(`[data-theme='${id}']`);

  test.each(pairs)('%s passes WCAG 2.2 AA on %j (at least %d)', (foreground, backgrounds, ratio) => {
    // High contrast means AAA for text: 7 (1.4.6).
    const needed = 'highContrast' in theme && ratio > 3 ? 7 : ratio;
    for (const background of backgrounds) {
      const actual = contrast(colour(tokens, foreground), colour(tokens, background));
      expect(actual, `${foreground} on ${background}`).toBeGreaterThanOrEqual(needed);
    }
  });

  test('the filled part of a bar contrasts with its track (WCAG 2.2, 1.4.11)', () => {
    const track = tokens.has('chart-grid') ? 'chart-grid' : 'line';
    expect(contrast(colour(tokens, 'accent'), colour(tokens, track))).toBeGreaterThanOrEqual(3);
    const needed = 'highContrast' in theme ? 3 : 1.1;
    expect(contrast(colour(tokens, 'surface-raised'), colour(tokens, track))).toBeGreaterThanOrEqual(needed);
  });

  test('pills of different tones have about the same contrast with their card', () => {
    if ('highContrast' in theme) return;
    const steps = ['success', 'warning', 'danger'].map((tone) =>
      contrast(colour(tokens, `${tone}-soft`), colour(tokens, 'surface-raised')),
    );
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(1.12);
    expect(Math.max(...steps) / Math.min(...steps)).toBeLessThanOrEqual(1.1);
  });

  test('color-scheme matches the kind of theme', () => {
    expect(tokens.get('color-scheme')).toBe(kind);
  });
});

test('themes are ordered by their digits from 0 to 9 (G1)', () => {
  expect(themes.map((theme) => theme.index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('every theme defines the same colours', () => {
  for (const { id } of themes) expect([id, ...colourNames(id)]).toEqual([id, ...colourNames('daylight')]);
});

/** Mails and sign-in pages do not use themes.css (G1). */
describe('colors of Daylight and Nightfall outside of the application', () => {
  const source = (path: string) => readFileSync(new URL(`../../../../../${path}`, import.meta.url), 'utf8');
  const [day, night] = ['daylight', 'nightfall'].map((id) => tokensOf(`[data-theme='${id}']`)) as [
    Map<string, string>,
    Map<string, string>,
  ];

  test('mails use the colors of Daylight and Nightfall (G1)', () => {
    const text = source('apps/server/src/features/mail/templates/layout.ts');
    const names = {
      page: 'surface',
      card: 'surface-raised',
      text: 'text',
      muted: 'text-muted',
      line: 'line',
      button: 'accent',
      onButton: 'accent-text',
    };
    for (const [name, token] of Object.entries(names)) {
      const found = [...text.matchAll(new RegExp(`^    ${name}: '(#\\w+)',$`, 'gm'))].map(
        ([, value]) => value,
      );
      expect({ [name]: found }).toEqual({ [name]: [day.get(token), night.get(token)] });
    }
  });

  test('the embedded sign-in pages use the colors of Daylight and Nightfall (G1)', () => {
    const text = source('packages/b2c-emulator/src/pages/pages.css');
    const names = {
      page: 'surface',
      card: 'surface-raised',
      text: 'text',
      quiet: 'text-muted',
      line: 'line',
      'field-line': 'line-strong',
      accent: 'accent',
      'accent-strong': 'accent-hover',
      'on-accent': 'accent-text',
      wrong: 'danger',
      'wrong-back': 'danger-soft',
      'good-back': 'accent-soft',
    };
    for (const [name, token] of Object.entries(names))
      expect(text).toContain(`--${name}: light-dark(${day.get(token)}, ${night.get(token)});`);
  });
});

test('the default colors for dark systems are those of Nightfall', () => {
  expect(tokensOf(':root:not([data-theme])')).toEqual(tokensOf("[data-theme='nightfall']"));
});

function colourNames(id: string): string[] {
  const tokens = [...tokensOf(`[data-theme='${id}']`)];
  return tokens
    .filter(([name, value]) => /^#|^rgb/.test(value) && name !== 'chart-grid')
    .map(([name]) => name);
}

function tokensOf(selector: string): Map<string, string> {
  const start = css.indexOf(`${selector} {`);
  if (start < 0) throw new Error(`themes.css has no rule ${selector}`);
  const rule = css.slice(css.indexOf('{', start) + 1, css.indexOf('}', start));
  return new Map(
    [...rule.matchAll(/(?:--)?([\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

function colour(tokens: Map<string, string>, name: string): string {
  const value = tokens.get(name);
  if (!value || !/^#[0-9a-f]{6}$/.test(value))
    throw new Error(`--${name} is not a six-digit colour: ${value}`);
  return value;
}
