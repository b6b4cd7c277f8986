import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconX } from '@tabler/icons-react';
import type { GridColumn } from '../columns/grid-column.ts';
import { focusSearch } from '../focus-search.ts';
import { filterText, withFilter } from '../rows/grid-query.ts';
import type { FilterControls } from '../rows/use-grid-filters.ts';

/** Active filters; each can be edited or removed. */
export function FilterChips({
  columns,
  controls: { filters, filterBy },
  onOpen,
}: {
  columns: readonly GridColumn<never>[];
  controls: FilterControls;
  onOpen: (column: string, chip: HTMLElement) => void;
}) {
  if (filters.length === 0) return null;
  return (
    <ul className="grid-chips" aria-label={t`Filters`}>
      {filters.map((filter) => {
        const column = columns.find(({ id }) => id === filter.column);
        if (!column) return null;
        const text = filterText(column, filter);
        return (
          <li key={filter.column} className="grid-chip">
            <button
              type="button"
              className="grid-chip-text one-line"
              onClick={({ currentTarget }) => onOpen(column.id, currentTarget)}
            >
              {text}
            </button>
            <button
              type="button"
              className="grid-chip-remove"
              aria-label={t`Remove filter ${text}`}
              onClick={({ currentTarget }) => {
                // The focused chip is removed, so the next chip or the search box takes the focus.
                const next = currentTarget.closest('li')?.nextElementSibling?.querySelector('button');
                if (next && filters.length > 1) next.focus();
                else focusSearch(currentTarget);
                filterBy(withFilter(filters, filter.column, null));
              }}
            >
              <IconX size={14} aria-hidden="true" />
            </button>
          </li>
        );
      })}
      <li>
        <button
          type="button"
          className="grid-chips-clear"
          onClick={({ currentTarget }) => {
            focusSearch(currentTarget);
            filterBy([]);
          }}
        >
          <Trans>Clear all filters</Trans>
        </button>
      </li>
    </ul>
  );
}
