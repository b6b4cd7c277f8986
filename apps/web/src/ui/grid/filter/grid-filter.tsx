// How filters are set and shown: the fields of one column, the panel at a header, the sheet on phones, the chips above
// the rows.
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconX } from '@tabler/icons-react';
import { useId, useState, type SubmitEvent } from 'react';
import { Button } from '../../button.tsx';
import { Dialog } from '../../dialog/dialog.tsx';
import type { GridColumn } from '../columns/grid-column.ts';
import { GridPopover } from './grid-popover.tsx';
import {
  dayOf,
  draftOf,
  filterOf,
  filterText,
  withFilter,
  type FilterDraft,
  type GridFilter,
  type GridSort,
} from '../rows/grid-query.ts';
import { SelectField } from '../../fields/select-field.tsx';
import { TextField } from '../../fields/text-field.tsx';

type AnyColumn = GridColumn<never>;

/** More values than these get a search box of their own. */
const manyValues = 9;

/** The panel at a column's header. */
export function FilterPanel({
  column,
  filter,
  anchor,
  returnTo,
  onChange,
  onClose,
}: {
  column: AnyColumn;
  filter: GridFilter | undefined;
  anchor: HTMLElement;
  returnTo: HTMLElement;
  onChange: (filter: GridFilter | null) => void;
  onClose: () => void;
}) {
  const [draft, setDraft] = useState(() => draftOf(column, filter));
  const finish = (result: GridFilter | null) => {
    onChange(result);
    onClose();
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    finish(filterOf(column, draft));
  };
  return (
    <GridPopover label={t`Filter ${column.title}`} anchor={anchor} returnTo={returnTo} onClose={onClose}>
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

/** On a phone: the order and all filters in one dialog. */
export function FilterSheet({
  columns,
  filters,
  sort,
  onApply,
  onClose,
}: {
  columns: readonly AnyColumn[];
  filters: readonly GridFilter[];
  sort: GridSort | undefined;
  onApply: (sort: GridSort | undefined, filters: readonly GridFilter[]) => void;
  onClose: () => void;
}) {
  const formId = useId();
  const [order, setOrder] = useState(sort);
  const [drafts, setDrafts] = useState<Readonly<Record<string, FilterDraft>>>(() =>
    Object.fromEntries(
      columns.map((column) => [
        column.id,
        draftOf(
          column,
          filters.find((one) => one.column === column.id),
        ),
      ]),
    ),
  );
  const sortable = columns.filter((column) => column.sortable ?? true);
  const filterable = columns.filter((column) => column.filter);
  const apply = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    let next = filters;
    for (const column of filterable) {
      const draft = drafts[column.id];
      if (draft) next = withFilter(next, column.id, filterOf(column, draft));
    }
    onApply(order, next);
    onClose();
  };
  const clear = () => {
    onApply(undefined, []);
    onClose();
  };
  return (
    <Dialog
      title={filterable.length > 0 ? t`Sort and filter` : t`Sort`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={clear}>
            <Trans>Clear all</Trans>
          </Button>
          <Button variant="primary" type="submit" form={formId}>
            <Trans>Show the rows</Trans>
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
                { value: '', label: t`As it comes` },
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
              draft={drafts[column.id] ?? draftOf(column, undefined)}
              onChange={(draft) => setDrafts((before) => ({ ...before, [column.id]: draft }))}
            />
          </fieldset>
        ))}
      </form>
    </Dialog>
  );
}

/** The filters that are on; each can be changed and taken away. */
export function FilterChips({
  columns,
  filters,
  onOpen,
  onChange,
}: {
  columns: readonly AnyColumn[];
  filters: readonly GridFilter[];
  onOpen: (column: AnyColumn, chip: HTMLElement) => void;
  onChange: (filters: readonly GridFilter[]) => void;
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
              className="grid-chip-text"
              onClick={({ currentTarget }) => onOpen(column, currentTarget)}
            >
              {text}
            </button>
            <button
              type="button"
              className="grid-chip-remove"
              aria-label={t`Remove filter ${text}`}
              onClick={({ currentTarget }) => {
                // The chip goes away under the focus: its neighbour takes it, or the grid's search box.
                const item = currentTarget.closest('li');
                const next = item?.nextElementSibling ?? item?.previousElementSibling;
                const grid = currentTarget.closest('.grid');
                (next ?? grid)?.querySelector<HTMLElement>(next ? 'button' : 'input')?.focus();
                onChange(withFilter(filters, filter.column, null));
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
            currentTarget.closest('.grid')?.querySelector('input')?.focus();
            onChange([]);
          }}
        >
          <Trans>Clear all filters</Trans>
        </button>
      </li>
    </ul>
  );
}

/** The fields of one column's filter. */
export function FilterFields({
  column,
  draft,
  onChange,
}: {
  column: AnyColumn;
  draft: FilterDraft;
  onChange: (draft: FilterDraft) => void;
}) {
  const { filter } = column;
  if (!filter) return null;
  const change = (part: Partial<FilterDraft>) => onChange({ ...draft, ...part });
  const usual = filter.kind === 'text' ? 'contains' : filter.kind === 'set' ? 'oneOf' : 'between';
  return (
    <>
      {'optional' in filter && filter.optional && (
        <SelectField
          label={t`Show rows where it`}
          value={draft.is}
          options={[
            { value: usual, label: filter.kind === 'text' ? t`contains a text` : t`lies between` },
            { value: 'filled', label: t`is not empty` },
            { value: 'empty', label: t`is empty` },
          ]}
          onChange={({ currentTarget: { value } }) => change({ is: value as FilterDraft['is'] })}
        />
      )}
      {draft.is === 'contains' && (
        <TextField
          label={t`Contains`}
          autoComplete="off"
          maxLength={200}
          value={draft.text}
          onChange={({ currentTarget: { value } }) => change({ text: value })}
          data-autofocus
        />
      )}
      {filter.kind === 'set' && draft.is === 'oneOf' && (
        <ValueList
          title={column.title}
          values={filter.values}
          chosen={draft.values}
          onChange={(values) => change({ values })}
        />
      )}
      {filter.kind === 'date' && draft.is === 'between' && (
        <DayRange title={column.title} draft={draft} onChange={change} />
      )}
      {filter.kind === 'number' && (
        <div className="grid-filter-pair">
          <TextField
            label={t`From`}
            type="number"
            step={1}
            value={draft.from}
            onChange={({ currentTarget: { value } }) => change({ from: value })}
            data-autofocus
          />
          <TextField
            label={t`To`}
            type="number"
            step={1}
            value={draft.to}
            onChange={({ currentTarget: { value } }) => change({ to: value })}
          />
        </div>
      )}
    </>
  );
}

function ValueList({
  title,
  values,
  chosen,
  onChange,
}: {
  title: string;
  values: readonly { value: string; label: string }[];
  chosen: readonly string[];
  onChange: (values: string[]) => void;
}) {
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLocaleLowerCase();
  const shown = values.filter(({ label }) => label.toLocaleLowerCase().includes(wanted));
  const toggle = (value: string) =>
    onChange(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]);
  return (
    <>
      {values.length > manyValues && (
        <TextField
          label={t`Find a value`}
          autoComplete="off"
          value={search}
          onChange={({ currentTarget: { value } }) => setSearch(value)}
          // Enter here would apply what is not chosen yet.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          data-autofocus
        />
      )}
      <fieldset className="grid-values" aria-label={title}>
        {shown.map(({ value, label }) => (
          <label key={value} className="grid-value">
            <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
            {label}
          </label>
        ))}
        {shown.length === 0 && (
          <p className="grid-values-none">
            <Trans>No value is called that.</Trans>
          </p>
        )}
      </fieldset>
    </>
  );
}

const ranges = () => [
  { label: t`Today`, from: 0 },
  { label: t`Last 7 days`, from: -6 },
  { label: t`Last 30 days`, from: -29 },
];

function DayRange({
  title,
  draft,
  onChange,
}: {
  title: string;
  draft: FilterDraft;
  onChange: (part: Partial<FilterDraft>) => void;
}) {
  return (
    <>
      <div className="grid-filter-pair">
        <TextField
          label={t`From`}
          type="date"
          value={draft.from}
          max="9999-12-31"
          onChange={({ currentTarget: { value } }) => onChange({ from: value })}
          data-autofocus
        />
        <TextField
          label={t`To`}
          type="date"
          value={draft.to}
          max="9999-12-31"
          onChange={({ currentTarget: { value } }) => onChange({ to: value })}
        />
      </div>
      <fieldset className="grid-ranges" aria-label={t`${title}: usual ranges`}>
        {ranges().map(({ label, from }) => (
          <Button
            key={label}
            size="small"
            onClick={() => onChange({ from: dayFromToday(from), to: dayFromToday(0) })}
          >
            {label}
          </Button>
        ))}
      </fieldset>
    </>
  );
}

function dayFromToday(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() + days);
  return dayOf(date);
}
