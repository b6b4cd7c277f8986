import { t } from '@lingui/core/macro';
import type { GridRow } from '../rows/grid-pages.ts';
import type { SelectedRows } from './grid-selection.ts';

/** Of how many rows something holds, in words: "5 are still open". */
export type CountWords = (count: number) => string;

/** Those of the selected rows that something is done to; `leftOut` says of how many of the others why not. */
export function withoutSkipped<Row extends GridRow>(
  selected: SelectedRows<Row>,
  leavesOut: ((row: Row) => CountWords | null) | undefined,
): SelectedRows<Row> {
  // Of "all that match" nobody here knows the rows.
  if (!leavesOut || 'all' in selected.selection) return selected;
  const counts = new Map<CountWords, number>();
  const rows = selected.rows.filter((row) => {
    const words = leavesOut(row);
    if (words) counts.set(words, (counts.get(words) ?? 0) + 1);
    return !words;
  });
  if (rows.length === selected.rows.length) return selected;
  return {
    ...selected,
    selection: { ids: rows.map(({ id }) => String(id)) },
    count: rows.length,
    rows,
    leftOut: [...counts].map(([words, count]) => words(count)),
  };
}

/** "Unchanged: 5 are still open, 1 is redeemed." */
export function leftOutWords(leftOut: readonly string[]): string {
  const reasons = leftOut.join(', ');
  return t`Unchanged: ${reasons}.`;
}
