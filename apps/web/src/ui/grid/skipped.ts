import { t } from '@lingui/core/macro';
import type { GridRow } from './grid-pages.ts';
import type { SelectedRows } from './grid-selection.ts';

/** Describes a number of rows: "5 are still open". */
export type CountText = (count: number) => string;

/** Removes the rows with a skip reason from the selection and adds the reasons with their counts. */
export function withoutSkipped<Row extends GridRow>(
  selected: SelectedRows<Row>,
  skipReason: ((row: Row) => CountText | null) | undefined,
): SelectedRows<Row> {
  // For "all matching", the rows are unknown.
  if (!skipReason || 'all' in selected.selection) return selected;
  const counts = new Map<CountText, number>();
  const rows = selected.rows.filter((row) => {
    const reason = skipReason(row);
    if (reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    return !reason;
  });
  if (rows.length === selected.rows.length) return selected;
  return {
    ...selected,
    selection: { ids: rows.map(({ id }) => String(id)) },
    count: rows.length,
    rows,
    skipReasons: [...counts].map(([reason, count]) => reason(count)),
  };
}

/** Returns, for example, "Unchanged: 5 are still open, 1 is redeemed." */
export function skippedMessage(skipReasons: readonly string[]): string {
  const reasons = skipReasons.join(', ');
  return t`Unchanged: ${reasons}.`;
}
