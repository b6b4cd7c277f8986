import { t } from '@lingui/core/macro';
import { formatMessage, type FormattedMessage } from '../../language/format-message.ts';
import type { GridRow } from '../grid/grid-pages.ts';
import type { ShownPerson } from '../person/shown-person.ts';

/** Rows that an action skipped, with reasons. `skippedCount` may exceed the number of rows in `skipped`. */
export type SkippedRows = {
  skipped: readonly { id: string; label: string; person: ShownPerson | null; reasonText: FormattedMessage }[];
  skippedCount: number;
};

/** Adds names from the rows of the grid, because the server has no names for rows that no longer exist. */
export function nameSkipped<Row extends GridRow>(
  { skipped, skippedCount }: SkippedRows,
  rows: readonly Row[],
  {
    nameOf,
    personOf,
  }: {
    nameOf?: ((row: Row) => string) | undefined;
    personOf?: ((row: Row) => ShownPerson) | undefined;
  },
): SkippedRows {
  const rowsById = new Map(rows.map((row) => [String(row.id), row]));
  return {
    skippedCount,
    skipped: skipped.map((skippedRow) => {
      const row = rowsById.get(skippedRow.id);
      return {
        ...skippedRow,
        label: skippedRow.label || (row && nameOf?.(row)) || t`Name unknown`,
        person: skippedRow.person ?? (row && personOf?.(row)) ?? null,
      };
    }),
  };
}

/** Maximum number of names in a toast. */
const namedMaximum = 3;

/** Returns text such as “plan.txt (No longer exists.), map.txt (Belongs to someone else.)”. */
export function skippedText({ skipped, skippedCount }: SkippedRows): string {
  const named = skipped
    .slice(0, namedMaximum)
    .map(({ label, person, reasonText }) => `${person?.name || label} (${formatMessage(reasonText)})`);
  return `${named.join(', ')}${skippedCount > named.length ? ' …' : ''}`;
}
