import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  benchmarksPagePath,
  findStaleFigures,
  listMeasurements,
  replaceFigures,
} from '../../bench/report/benchmarks-page.ts';
import { plantedBugs } from '../../bench/reliability/planted-bugs.ts';
import type { Figure } from '../../bench/report/figure.ts';
import { root } from '../install.mjs';

const figure = (name: string, measured: number): Figure => ({ name, measured, unit: 'kB' });
const page = `# Figures

<!-- measured: size -->
<!-- end of measured -->

In between.

<!-- measured: time -->

Not measured yet.

<!-- end of measured -->
`;

test('every measurement has a section in docs/benchmarks.md and vice versa', () => {
  const measurements = ['browser', 'load', 'process'].flatMap((directory) =>
    readdirSync(path.join(root, 'bench', directory)).map((file) => path.basename(file, '.ts')),
  );
  // Measured by `npm run image:test`, tools/integration/rolling-update.ts and tools/integration/proxies.ts.
  measurements.push('image', 'update', 'proxies');
  // Parts of bench/reliability.ts and its planted bugs.
  measurements.push('killServer', 'killPostgres', 'race', 'redeem', 'uploads', 'faults', 'terminate');
  measurements.push('timing', 'mailDown', 'generated', ...Object.keys(plantedBugs));
  expect(listMeasurements(readFileSync(benchmarksPagePath, 'utf8')).toSorted()).toEqual(
    measurements.toSorted(),
  );
});

test('replaceFigures replaces only the figures and the machine of one section', () => {
  const once = replaceFigures(page, 'size', [figure('login', 7.7)], 'an old machine');
  const twice = replaceFigures(once, 'size', [figure('login', 13.8)], '2 cores, 22 November 2026');
  expect(twice).toMatch(/\| login +\| 13\.8 kB +\|/);
  expect(twice).toContain('Measured on 2 cores, 22 November 2026.');
  expect(twice).not.toMatch(/7\.7|an old machine/);
  expect(twice).toContain('In between.');
  expect(twice.slice(twice.indexOf('In between.'))).toBe(page.slice(page.indexOf('In between.')));
  expect(() => replaceFigures(page, 'weight', [], '')).toThrow('has no place for weight');
});

test('findStaleFigures reports figures that changed by more than 5 % or are missing', () => {
  const written = replaceFigures(
    page,
    'size',
    [figure('login', 1_374), figure('dashboard', 229)],
    'a machine',
  );
  expect(findStaleFigures(written, 'size', [figure('login', 1_400), figure('dashboard', 235)])).toEqual([]);
  const [changed, never, ...more] = findStaleFigures(written, 'size', [
    figure('login', 1_500),
    figure('grid', 482),
  ]);
  expect(changed).toContain(
    'says 1374 of "login", which is 1,500 kB now. Run: npm run bench -- size --write',
  );
  expect(never).toContain('says nothing of "grid"');
  expect(more).toEqual([]);
});
