/** A measured figure, and its output as a table. */

export type Unit = 'ms' | 's' | '/s' | 'MB' | 'GB' | 'MB/s' | 'kB' | '%' | 'times' | 'clicks';

export type Figure = {
  name: string;
  measured: number;
  unit: Unit;
  /** Absent if the figure only explains another one. */
  limit?: { at: 'least' | 'most'; value: number };
  /** Additional result, shown in the column "besides". */
  note?: string;
  /** Result before the change that the figure documents. */
  before?: string;
  /** Result of a minimal implementation in the same run, shown in the column "ceiling". */
  baseline?: string;
  peers?: string;
};

/** Returns whether a figure meets its limit; null without a limit. */
export function isWithinLimit({ measured, limit }: Figure): boolean | null {
  if (!limit) return null;
  return limit.at === 'least' ? measured >= limit.value : measured <= limit.value;
}

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

export function formatWithUnit(value: number, unit: Unit): string {
  const decimals = unit === '/s' || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  const text = value.toLocaleString('en-US', { maximumFractionDigits: decimals });
  if (unit === 'clicks' && value === 1) return '1 click';
  return unit === '/s' || unit === '%' ? `${text}${unit === '%' ? ' ' : ''}${unit}` : `${text} ${unit}`;
}

/** Prints figures. Sets exit code 1 if one misses its limit. */
export function printFigures(figures: Figure[]): void {
  console.log(formatFigures(figures));
  if (figures.some((figure) => isWithinLimit(figure) === false)) process.exitCode = 1;
}

export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
