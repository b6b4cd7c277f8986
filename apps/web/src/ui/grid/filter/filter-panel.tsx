import { Trans } from '@lingui/react/macro';
import { t } from '@lingui/core/macro';
import { Button, QuietButton } from '../../button.tsx';
import type { GridColumn } from '../columns/grid-column.ts';
import { filterDraftOf, filterOf, withFilter } from '../rows/grid-query.ts';
import type { FilterControls } from '../rows/use-grid-filters.ts';
import { FilterFields } from './filter-fields.tsx';
import { GridPopover } from './grid-popover.tsx';
import { useLiveFilter } from './use-live-filter.ts';

/** Filter of one column, anchored to its header. Changes apply immediately. */
export function FilterPanel({
  column,
  controls,
  count,
  anchor,
  onClose,
}: {
  column: GridColumn<never>;
  controls: FilterControls;
  count: string;
  anchor: HTMLElement;
  onClose: () => void;
}) {
  const { filters, filterBy } = controls;
  const { draft, change, close, submit, clear } = useLiveFilter(
    () => filterDraftOf(column, filters),
    (next) => filterBy(withFilter(filters, column.id, filterOf(column, next))),
    onClose,
  );
  return (
    <GridPopover label={t`Filter ${column.title}`} anchor={anchor} onClose={close}>
      <form className="grid-filter" onSubmit={submit}>
        <FilterFields column={column} draft={draft} onChange={change} controls={controls} />
        <div className="grid-filter-foot">
          <output className="grid-filter-count small-print">{count}</output>
          <QuietButton onClick={() => clear(() => filterBy(withFilter(filters, column.id, null)))}>
            <Trans>Clear</Trans>
          </QuietButton>
          <Button size="small" variant="primary" type="submit">
            <Trans>Done</Trans>
          </Button>
        </div>
      </form>
    </GridPopover>
  );
}
