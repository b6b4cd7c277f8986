import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useId, useState, type SubmitEvent } from 'react';
import { Button } from '../../button.tsx';
import { Dialog } from '../../dialog/dialog.tsx';
import { SelectField } from '../../fields/select-field.tsx';
import type { GridColumn } from '../columns/grid-column.ts';
import {
  draftOf,
  filterOf,
  withFilter,
  type FilterDraft,
  type GridFilter,
  type GridSort,
} from '../rows/grid-query.ts';
import type { QuestionState } from '../rows/use-grid-question.ts';
import { FilterFields } from './filter-fields.tsx';

/** On a phone: the order and all filters in one dialog. */
export function FilterSheet({
  columns,
  question,
  onClose,
}: {
  columns: readonly GridColumn<never>[];
  question: QuestionState;
  onClose: () => void;
}) {
  const formId = useId();
  const { filters } = question;
  const [order, setOrder] = useState(question.order);
  const [drafts, setDrafts] = useState<Readonly<Record<string, FilterDraft>>>(() =>
    Object.fromEntries(columns.map((column) => [column.id, draftOf(column, filters)])),
  );
  const sortable = columns.filter((column) => column.sortable ?? true);
  const filterable = columns.filter((column) => column.filter);
  const ask = (sort: GridSort | undefined, wanted: readonly GridFilter[]) => {
    question.filterBy(wanted);
    if (JSON.stringify(sort) !== JSON.stringify(question.order)) question.sortBy(sort);
    onClose();
  };
  const apply = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    let next = filters;
    for (const column of filterable) {
      const draft = drafts[column.id];
      if (draft) next = withFilter(next, column.id, filterOf(column, draft));
    }
    ask(order, next);
  };
  return (
    <Dialog
      title={filterable.length > 0 ? t`Sort and filter` : t`Sort`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => ask(undefined, [])}>
            <Trans>Clear all</Trans>
          </Button>
          <Button variant="primary" type="submit" form={formId}>
            <Trans>Apply</Trans>
          </Button>
        </>
      }
    >
      <form id={formId} className="grid-sheet" onSubmit={apply}>
        {sortable.length > 0 && (
          <div className="grid-sheet-sort">
            <SelectField
              label={t`Sort by`}
              value={order?.column ?? ''}
              options={[
                { value: '', label: t`Default order` },
                ...sortable.map(({ id, title }) => ({ value: id, label: title })),
              ]}
              onChange={({ currentTarget: { value } }) =>
                setOrder(value ? { column: value, direction: order?.direction ?? 'asc' } : undefined)
              }
            />
            <SelectField
              label={t`Direction`}
              value={order?.direction ?? 'asc'}
              disabled={!order}
              options={[
                { value: 'asc', label: t`A to Z, oldest first` },
                { value: 'desc', label: t`Z to A, newest first` },
              ]}
              onChange={({ currentTarget: { value } }) =>
                order && setOrder({ ...order, direction: value === 'desc' ? 'desc' : 'asc' })
              }
            />
          </div>
        )}
        {filterable.map((column) => (
          <fieldset key={column.id} className="grid-sheet-filter">
            <legend>{column.title}</legend>
            <FilterFields
              column={column}
              draft={drafts[column.id] ?? draftOf(column, [])}
              onChange={(draft) => setDrafts((before) => ({ ...before, [column.id]: draft }))}
            />
          </fieldset>
        ))}
      </form>
    </Dialog>
  );
}
