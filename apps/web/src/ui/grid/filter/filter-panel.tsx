import { Trans } from '@lingui/react/macro';
import { t } from '@lingui/core/macro';
import { Button, QuietButton } from '../../button.tsx';
import type { GridColumn } from '../columns/grid-column.ts';
import { draftOf, filterOf, withFilter } from '../rows/grid-query.ts';
import type { QuestionState } from '../rows/use-grid-filters.ts';
import { FilterFields } from './filter-fields.tsx';
import { GridPopover } from './grid-popover.tsx';
import { useLiveFilter } from './use-live-filter.ts';

/** The panel at a column's header. What is set in it counts at once. */
export function FilterPanel({
  column,
  question,
  count,
  anchor,
  onClose,
}: {
  column: GridColumn<never>;
  question: QuestionState;
  count: string;
  anchor: HTMLElement;
  onClose: () => void;
}) {
  const { filters, filterBy } = question;
  const { draft, change, close, submit, clear } = useLiveFilter(
    () => draftOf(column, filters),
    (set) => filterBy(withFilter(filters, column.id, filterOf(column, set))),
    onClose,
  );
  return (
    <GridPopover label={t`Filter ${column.title}`} anchor={anchor} onClose={close}>
      <form className="grid-filter" onSubmit={submit}>
        <FilterFields column={column} draft={draft} onChange={change} question={question} />
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
