// Our filters inside AG Grid Enterprise: its set filter for sets, our own fields for all else, both at the headers and in
// its panel of filters. The model of our own is the filter itself.
import { Trans } from '@lingui/react/macro';
import type { ColDef, FilterModel, IAfterGuiAttachedParams } from 'ag-grid-community';
import { useGridFilter, type CustomFilterProps } from 'ag-grid-react';
import { useRef, useState, type RefObject, type SubmitEvent } from 'react';
import { Button } from './button.tsx';
import type { GridColumn } from './grid-column.ts';
import { FilterFields } from './grid-filter.tsx';
import { draftOf, filterOf, type GridFilter } from './grid-query.ts';

type AnyColumn = GridColumn<never>;

/** AG Grid's filter for a column of ours. */
export function filterDefinition(column: AnyColumn): ColDef {
  const { filter } = column;
  if (!filter) return { filter: false, suppressFiltersToolPanel: true };
  if (filter.kind !== 'set') return { filter: OwnFilter, filterParams: { gridColumn: column } };
  return {
    filter: 'agSetColumnFilter',
    filterParams: {
      values: filter.values.map(({ value }) => value),
      suppressSorting: true,
      valueFormatter: ({ value }: { value: string | null }) =>
        filter.values.find((one) => one.value === value)?.label ?? value ?? '',
      buttons: ['clear', 'apply'],
      closeOnApply: true,
    },
  };
}

/** Our filters as AG Grid keeps them. */
export function modelOfFilters(columns: readonly AnyColumn[], filters: readonly GridFilter[]): FilterModel {
  const known = filters.filter(({ column }) => columns.some(({ id, filter }) => filter && id === column));
  return Object.fromEntries(
    known.map((filter) => [
      filter.column,
      filter.is === 'oneOf' ? { filterType: 'set', values: filter.values } : filter,
    ]),
  );
}

/** What AG Grid keeps as our filters. */
export function filtersOfModel(columns: readonly AnyColumn[], model: FilterModel): GridFilter[] {
  return Object.entries(model).flatMap(([id, one]) => {
    const column = columns.find((candidate) => candidate.id === id);
    if (!column?.filter) return [];
    if (column.filter.kind !== 'set') return [one as GridFilter];
    const values = (one as { values: (string | null)[] }).values.filter((value) => value !== null);
    return [{ column: id, is: 'oneOf', values }];
  });
}

type OwnFilterProps = CustomFilterProps<unknown, unknown, GridFilter> & { gridColumn: AnyColumn };

function OwnFilter(props: OwnFilterProps) {
  const form = useRef<HTMLFormElement>(null);
  const hidePopup = useRef<() => void>(null);
  useGridFilter({
    // The server does.
    doesFilterPass: () => true,
    afterGuiAttached: (params?: IAfterGuiAttachedParams) => {
      hidePopup.current = params?.hidePopup ?? null;
      if (!params?.suppressFocus && params?.container !== 'toolPanel')
        form.current?.querySelector<HTMLElement>('[data-autofocus], input, select')?.focus();
    },
  });
  // Anew whenever the filter was changed elsewhere.
  return (
    <OwnFields
      key={JSON.stringify(props.model)}
      {...props}
      form={form}
      onModelChange={(model) => {
        props.onModelChange(model);
        hidePopup.current?.();
      }}
    />
  );
}

function OwnFields({
  gridColumn,
  model,
  onModelChange,
  form,
}: OwnFilterProps & { form: RefObject<HTMLFormElement | null> }) {
  const [draft, setDraft] = useState(() => draftOf(gridColumn, model ?? undefined));
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onModelChange(filterOf(gridColumn, draft));
  };
  return (
    <form ref={form} className="grid-filter" onSubmit={submit}>
      <FilterFields column={gridColumn} draft={draft} onChange={setDraft} />
      <div className="grid-filter-foot">
        <Button size="small" variant="quiet" onClick={() => onModelChange(null)}>
          <Trans>Clear</Trans>
        </Button>
        <Button size="small" variant="primary" type="submit">
          <Trans>Apply</Trans>
        </Button>
      </div>
    </form>
  );
}
