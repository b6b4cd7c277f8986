/** One measured figure and how a list of them is printed. */

export type Unit = 'ms' | 's' | '/s' | 'MB' | 'GB' | 'MB/s' | 'kB' | '%' | 'times' | 'clicks';

export type Figure = {
  name: string;
  measured: number;
  unit: Unit;
  /** What was promised; absent where a figure is only there to explain another. */
  limit?: { at: 'least' | 'most'; value: number };
  /** What else was measured with it. */
  note?: string;
  /** What it was before the work that it is to show. */
  before?: string;
  /** What the bare floor did in the same run. */
  baseline?: string;
  /** What comparable products did (peers.ts). */
  peers?: string;
};

/** Whether a figure keeps its promise; null where none was made. */
export function isWithinLimit({ measured, limit }: Figure): boolean | null {
  if (!limit) return null;
  return limit.at === 'least' ? measured >= limit.value : measured <= limit.value;
}

/** The figures as a Markdown table, aligned for a terminal, without columns that would be empty. */
export function formatFigures(figures: Figure[]): string {
  const cells = [
    ['measurement', 'measured', 'limit', '', 'besides', 'before', 'ceiling in the same run', 'others'],
    ...figures.map((figure) => [
      figure.name,
      formatWithUnit(figure.measured, figure.unit),
      figure.limit
        ? `${figure.limit.at === 'least' ? '≥' : '≤'} ${formatWithUnit(figure.limit.value, figure.unit)}`
        : '',
      { true: 'pass', false: 'MISS', null: '' }[String(isWithinLimit(figure)) as 'true' | 'false' | 'null'],
      figure.note ?? '',
      figure.before ?? '',
      figure.baseline ?? '',
      figure.peers ?? '',
    ]),
  ];
  const rows = cells.map((row) =>
    row.filter((_, column) => cells.slice(1).some((one) => one[column] !== '')),
  );
  const widths = (rows[0] as string[]).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] as string).length)),
  );
  const line = (row: string[], fill = ' ') =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] as number, fill)).join(' | ')} |`;
  const [head, ...body] = rows as [string[], ...string[][]];
  return [
    line(head),
    line(
      head.map(() => ''),
      '-',
    ),
    ...body.map((row) => line(row)),
  ].join('\n');
}

/** A number with its unit, with as many decimals as its size is worth. */
export function formatWithUnit(value: number, unit: Unit): string {
  const decimals = unit === '/s' || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  const text = value.toLocaleString('en-US', { maximumFractionDigits: decimals });
  if (unit === 'clicks' && value === 1) return '1 click';
  return unit === '/s' || unit === '%' ? `${text}${unit === '%' ? ' ' : ''}${unit}` : `${text} ${unit}`;
}

/** Prints figures; a miss makes the process end with an error. */
export function printFigures(figures: Figure[]): void {
  console.log(formatFigures(figures));
  if (figures.some((figure) => isWithinLimit(figure) === false)) process.exitCode = 1;
}

/** The value in the middle. */
export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
