import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useId } from 'react';
import { Button } from '../../button.tsx';
import { Dialog } from '../../dialog/dialog.tsx';
import { SelectField } from '../../fields/select-field.tsx';
import type { GridColumn } from '../columns/grid-column.ts';
import { filterDraftOf, filterOf, withFilter, type FilterDraft } from '../rows/grid-query.ts';
import type { FilterControls } from '../rows/use-grid-filters.ts';
import { FilterFields } from './filter-fields.tsx';
import { useLiveFilter } from './use-live-filter.ts';

type Drafts = Readonly<Record<string, FilterDraft>>;

/** Sorting and all filters in one dialog, for narrow screens. Changes apply immediately. */
export function FilterSheet({
  columns,
  controls,
  count,
  onClose,
}: {
  columns: readonly GridColumn<never>[];
  controls: FilterControls;
  count: string;
  onClose: () => void;
}) {
  const formId = useId();
  const { filters, order, filterBy, sortBy } = controls;
  const sortable = columns.filter((column) => column.sortable ?? true);
  const filterable = columns.filter((column) => column.filter);
  const {
    draft: drafts,
    change,
    close,
    submit,
    clear,
  } = useLiveFilter<Drafts>(
    () => Object.fromEntries(filterable.map((column) => [column.id, filterDraftOf(column, filters)])),
    (draft) => {
      let next = filters;
      for (const column of filterable)
        next = withFilter(next, column.id, filterOf(column, draft[column.id] ?? filterDraftOf(column, [])));
      filterBy(next);
    },
    onClose,
  );
  const clearAll = () => {
    filterBy([]);
    if (order) sortBy(undefined);
  };
  return (
    <Dialog
      title={filterable.length > 0 ? t`Sort and filter` : t`Sort`}
      onClose={close}
      actions={
        <>
          <output className="grid-filter-count small-print">{count}</output>
          <Button onClick={() => clear(clearAll)}>
            <Trans>Clear all</Trans>
          </Button>
          <Button variant="primary" type="submit" form={formId}>
            <Trans>Done</Trans>
          </Button>
        </>
      }
    >
      <form id={formId} className="grid-sheet" onSubmit={submit}>
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
                sortBy(value ? { column: value, direction: order?.direction ?? 'asc' } : undefined)
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
                order && sortBy({ ...order, direction: value === 'desc' ? 'desc' : 'asc' })
              }
            />
          </div>
        )}
        {filterable.map((column) => (
          <fieldset key={column.id} className="grid-sheet-filter">
            <legend>{column.title}</legend>
            <FilterFields
              column={column}
              draft={drafts[column.id] ?? filterDraftOf(column, [])}
              onChange={(draft) => change({ ...drafts, [column.id]: draft })}
              controls={controls}
            />
          </fieldset>
        ))}
      </form>
    </Dialog>
  );
}
