import { t } from '@lingui/core/macro';
import { formatMessage, type FormattedMessage } from '../../language/format-message.ts';
import type { GridRow } from '../grid/rows/grid-pages.ts';
import type { ShownPerson } from '../person/shown-person.ts';

/** The rows that an action was not applied to, with the reason of each: all of them counted, the first ones named; by `label` where it is no `person`. */
export type SkippedRows = {
  skipped: readonly { id: string; label: string; person: ShownPerson | null; reasonText: FormattedMessage }[];
  skippedCount: number;
};

/** The server has no name any more for what is gone: then as the list had it, if the browser knows the row. */
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
  const known = new Map(rows.map((row) => [String(row.id), row]));
  return {
    skippedCount,
    skipped: skipped.map((one) => {
      const row = known.get(one.id);
      return {
        ...one,
        label: one.label || (row && nameOf?.(row)) || t`Name unknown`,
        person: one.person ?? (row && personOf?.(row)) ?? null,
      };
    }),
  };
}

/** The most of them that a message names. */
const namedMaximum = 3;

/** “plan.txt (No longer exists.), map.txt (Belongs to someone else.)”, for a message. */
export function skippedText({ skipped, skippedCount }: SkippedRows): string {
  const named = skipped
    .slice(0, namedMaximum)
    .map(({ label, person, reasonText }) => `${person?.name || label} (${formatMessage(reasonText)})`);
  return `${named.join(', ')}${skippedCount > named.length ? ' …' : ''}`;
}
