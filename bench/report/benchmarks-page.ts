/**
 * Reads and writes docs/benchmarks.md. The figures of a measurement are between two HTML comments; only `npm run bench -- --write`
 * changes them. Text around them has no figures.
 */
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import { formatFigures, formatWithUnit, type Figure } from './figure.ts';

export const benchmarksPagePath = path.join(import.meta.dirname, '..', '..', 'docs', 'benchmarks.md');

const endMarker = '<!-- end of measured -->';
const startMarker = (measurement: string) => `<!-- measured: ${measurement} -->`;

export function describeMachine(): string {
  const model = cpus()[0]?.model.trim();
  const day = new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
  return `${cpus().length} cores (${model}), ${Math.round(totalmem() / 1e9)} GB, Node.js ${process.version.slice(1)}, ${day}`;
}

/** Returns the page with the figures of one measurement replaced. Throws if the page has no section for it. */
export function replaceFigures(
  page: string,
  measurement: string,
  figures: Figure[],
  machine: string,
): string {
  const { from, to } = findSection(page, measurement);
  return `${page.slice(0, from)}\n\n${formatFigures(figures)}\n\nMeasured on ${machine}.\n\n${page.slice(to)}`;
}

export function listMeasurements(page: string): string[] {
  return [...page.matchAll(/^<!-- measured: (.+) -->$/gm)].map(([, name = '']) => name);
}

/** Returns a message for each figure that is missing on the page or differs by more than 5 %. */
export function findStaleFigures(page: string, measurement: string, figures: Figure[]): string[] {
  const { from, to } = findSection(page, measurement);
  const writtenFigures = new Map(
    [...page.slice(from, to).matchAll(/^\| (.+?) +\| ([\d.,]+) /gm)].map(([, name = '', number = '']) => [
      name,
      Number(number.replaceAll(',', '')),
    ]),
  );
  return figures
    .filter(
      ({ name, measured }) => !(Math.abs((writtenFigures.get(name) ?? Infinity) / measured - 1) <= 0.05),
    )
    .map(
      ({ name, measured, unit }) =>
        `docs/benchmarks.md says ${writtenFigures.get(name) ?? 'nothing'} of "${name}", which is ${formatWithUnit(measured, unit)} now. Run: npm run bench -- ${measurement} --write`,
    );
}

function findSection(page: string, measurement: string): { from: number; to: number } {
  const begin = page.indexOf(startMarker(measurement));
  const to = page.indexOf(endMarker, begin);
  if (begin === -1 || to === -1)
    throw new Error(
      `docs/benchmarks.md has no place for ${measurement}: put ${startMarker(measurement)} and ${endMarker} there.`,
    );
  return { from: begin + startMarker(measurement).length, to };
}
