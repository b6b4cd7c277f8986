import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState, type SubmitEvent } from 'react';
import { Button } from '../../button.tsx';
import type { GridColumn } from '../columns/grid-column.ts';
import { draftOf, filterOf, withFilter, type GridFilter } from '../rows/grid-query.ts';
import type { QuestionState } from '../rows/use-grid-question.ts';
import { FilterFields } from './filter-fields.tsx';
import { GridPopover } from './grid-popover.tsx';

/** The panel at a column's header. */
export function FilterPanel({
  column,
  question: { filters, filterBy },
  anchor,
  onClose,
}: {
  column: GridColumn<never>;
  question: QuestionState;
  anchor: HTMLElement;
  onClose: () => void;
}) {
  const [draft, setDraft] = useState(() => draftOf(column, filters));
  const finish = (filter: GridFilter | null) => {
    filterBy(withFilter(filters, column.id, filter));
    onClose();
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    finish(filterOf(column, draft));
  };
  return (
    <GridPopover label={t`Filter ${column.title}`} anchor={anchor} onClose={onClose}>
      <form className="grid-filter" onSubmit={submit}>
        <FilterFields column={column} draft={draft} onChange={setDraft} />
        <div className="grid-filter-foot">
          <Button size="small" variant="quiet" onClick={() => finish(null)}>
            <Trans>Clear</Trans>
          </Button>
          <Button size="small" variant="primary" type="submit">
            <Trans>Apply</Trans>
          </Button>
        </div>
      </form>
    </GridPopover>
  );
}
