import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { atMost, benchmarksPage, figure, formatFigures, replaceFigures } from './report.ts';
import { measurements } from './measurements.ts';

const page = `# Figures

<!-- measured: size -->
<!-- end of measured -->

In between.

<!-- measured: time -->

Not measured yet.

<!-- end of measured -->
`;

test('every measurement has a section in docs/benchmarks.md and vice versa', () => {
  const sections = [...readFileSync(benchmarksPage, 'utf8').matchAll(/^<!-- measured: (.+) -->$/gm)];
  // tools/integration measures `containers` and `update`; `--people 10000000` measures the lists with more rows.
  expect(new Set(sections.map(([, name]) => name))).toEqual(
    new Set([...Object.keys(measurements), 'containers', 'update', 'lists with 10000000']),
  );
});

test('a table omits empty columns and shows which limits are missed', () => {
  expect(formatFigures([figure('login', 7.7, 'kB', atMost(8)), figure('grid', 504, 'kB', atMost(400))])).toBe(
    `| measurement | measured | limit    |      |
| ----------- | -------- | -------- | ---- |
| login       | 7.7 kB   | ≤ 8 kB   | pass |
| grid        | 504 kB   | ≤ 400 kB | MISS |`,
  );
});

test("replaceFigures replaces only one section's figures and the description of its machine", () => {
  const once = replaceFigures(page, 'size', [figure('login', 7.7, 'kB')], 'an old machine');
  const twice = replaceFigures(once, 'size', [figure('login', 13.8, 'kB')], '2 cores, 22 November 2026');
  expect(twice).toMatch(/\| login +\| 13\.8 kB +\|/);
  expect(twice).toContain('Measured on 2 cores, 22 November 2026.');
  expect(twice).not.toMatch(/7\.7|an old machine/);
  expect(twice.slice(twice.indexOf('In between.'))).toBe(page.slice(page.indexOf('In between.')));
  expect(() => replaceFigures(page, 'weight', [], '')).toThrow('has no section for weight');
});
