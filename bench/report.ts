/**
 * Figures of measurements: their limits, their table, and their page docs/benchmarks.md. The page contains the figures of each
 * measurement between two HTML comments. Only `--write` changes this part of the page.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';

type Unit = 'ms' | 's' | '/s' | 'MB' | 'MB/s' | 'kB' | '%' | 'times';
type Limit = { at: 'least' | 'most'; value: number };

export type Figure = {
  name: string;
  measured: number;
  unit: Unit;
  /** Absent if the figure only explains another one. */
  limit?: Limit;
  /** Result of a minimal implementation in the same run, shown in the column "ceiling". */
  ceiling?: string;
  /** Results of comparable products, shown in the column "others". */
  others?: string;
};

export const atMost = (value: number): Limit => ({ at: 'most', value });
export const atLeast = (value: number): Limit => ({ at: 'least', value });

export function figure(
  name: string,
  measured: number,
  unit: Unit,
  limit?: Limit,
  more: Pick<Figure, 'ceiling' | 'others'> = {},
): Figure {
  return { name, measured, unit, ...(limit && { limit }), ...more };
}

/** Creates a figure that counts failures, with limit 0. */
export const failures = (name: string, count: number): Figure => figure(name, count, 'times', atMost(0));

function isWithinLimit({ measured, limit }: Figure): boolean {
  return !limit || (limit.at === 'least' ? measured >= limit.value : measured <= limit.value);
}

export function formatFigures(figures: Figure[]): string {
  const cells = [
    ['measurement', 'measured', 'limit', '', 'ceiling in the same run', 'others'],
    ...figures.map((one) => [
      one.name,
      formatWithUnit(one.measured, one.unit),
      one.limit ? `${one.limit.at === 'least' ? '≥' : '≤'} ${formatWithUnit(one.limit.value, one.unit)}` : '',
      one.limit ? (isWithinLimit(one) ? 'pass' : 'MISS') : '',
      one.ceiling ?? '',
      one.others ?? '',
    ]),
  ];
  const used = cells[0]?.map((_, column) => cells.slice(1).some((row) => row[column] !== '')) ?? [];
  const rows = cells.map((row) => row.filter((_, column) => used[column]));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const format = (row: string[], fill = ' ') =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [head, head.map(() => ''), ...body]
    .map((row, index) => format(row, index === 1 ? '-' : ' '))
    .join('\n');
}

export function formatWithUnit(value: number, unit: Unit): string {
  const decimals = unit === '/s' || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  const text = value.toLocaleString('en-US', { maximumFractionDigits: decimals });
  return unit === '/s' ? `${text}${unit}` : `${text} ${unit}`;
}

/** Prints figures. Sets exit code 1 if one misses its limit. */
export function printFigures(figures: Figure[]): void {
  console.log(formatFigures(figures));
  if (!figures.every(isWithinLimit)) process.exitCode = 1;
}

export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export const benchmarksPage = path.join(import.meta.dirname, '..', 'docs', 'benchmarks.md');

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
  const start = `<!-- measured: ${measurement} -->`;
  const from = page.indexOf(start);
  const to = page.indexOf('<!-- end of measured -->', from);
  if (from === -1 || to === -1) throw new Error(`docs/benchmarks.md has no section for ${measurement}.`);
  return `${page.slice(0, from)}${start}\n\n${formatFigures(figures)}\n\nMeasured on ${machine}.\n\n${page.slice(to)}`;
}

export async function storeFigures(measurement: string, figures: Figure[]): Promise<void> {
  const page = await readFile(benchmarksPage, 'utf8');
  await writeFile(benchmarksPage, replaceFigures(page, measurement, figures, describeMachine()));
}
