import { t } from '@lingui/core/macro';
import { useId, useState, useEffect, useEffectEvent } from 'react';
import { formatNumber } from '../../../language/formats.ts';
import { Button } from '../../button.tsx';
import { SelectField, TextField } from '../../fields/field.tsx';
import type { GridColumn } from '../grid-column.ts';
import { draftOfDays, type FilterDraft } from './filter-draft.ts';
import { formatDays } from './filter-text.ts';
import type { GridDays } from '../grid-query.ts';
import type { FilterControls } from '../grid-state.ts';

/** Lists with at least this number of values have a search box. */
const searchableFrom = 9;

type ValueCounter = Pick<FilterControls, 'filters' | 'countValues'>;

export function FilterFields({
  column,
  draft,
  onChange,
  controls,
}: {
  column: GridColumn<never>;
  draft: FilterDraft;
  onChange: (draft: FilterDraft) => void;
  /** Counts the rows of each value. The counts are displayed for short lists of values. */
  controls: ValueCounter;
}) {
  const { filter } = column;
  if (!filter) return null;
  const change = (part: Partial<FilterDraft>) => onChange({ ...draft, ...part });
  const defaultCondition = filter.kind === 'text' ? 'contains' : filter.kind === 'set' ? 'oneOf' : 'between';
  return (
    <>
      {'optional' in filter && filter.optional && (
        <SelectField
          label={t`Condition`}
          value={draft.is}
          options={[
            { value: defaultCondition, label: filter.kind === 'text' ? t`contains` : t`is between` },
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
          column={column}
          controls={controls}
          values={filter.values}
          chosen={draft.values}
          onChange={(values) => change({ values })}
        />
      )}
      {filter.kind === 'date' && draft.is === 'between' && (
        <DayRange title={column.title} draft={draft} ahead={filter.ahead === true} onChange={change} />
      )}
      {filter.kind === 'number' && <Bounds draft={draft} onChange={change} type="number" step={1} />}
    </>
  );
}

function ValueList({
  column: { id, title },
  controls,
  values,
  chosen,
  onChange,
}: {
  column: GridColumn<never>;
  controls: ValueCounter;
  values: readonly { value: string; label: string }[];
  chosen: readonly string[];
  onChange: (values: string[]) => void;
}) {
  const [search, setSearch] = useState('');
  const listId = useId();
  const counts = useValueCounts(id, values, values.length > searchableFrom ? undefined : controls);
  const searchText = search.trim().toLocaleLowerCase();
  const shown = values.filter(({ label }) => label.toLocaleLowerCase().includes(searchText));
  const toggle = (value: string) =>
    onChange(chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value]);
  return (
    <>
      {values.length > searchableFrom && (
        <TextField
          label={t`Search values`}
          autoComplete="off"
          value={search}
          onChange={({ currentTarget: { value } }) => setSearch(value)}
          // Enter would submit the form.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          data-autofocus
        />
      )}
      <fieldset className="grid-values" aria-label={title}>
        {shown.map(({ value, label }) => (
          <label key={value} className="check grid-value">
            <input
              type="checkbox"
              aria-label={label}
              aria-describedby={`${listId}-${value}`}
              checked={chosen.includes(value)}
              onChange={() => toggle(value)}
            />
            {label}
            <span id={`${listId}-${value}`} className="grid-value-count small-print">
              {counts?.has(value) && formatNumber(counts.get(value) ?? 0)}
            </span>
          </label>
        ))}
        {shown.length === 0 && <p className="quiet">{t`No matching value.`}</p>}
      </fieldset>
    </>
  );
}

const today = { from: 0, to: 0 };
const pastRanges: GridDays[] = [today, { from: -6, to: 0 }, { from: -29, to: 0 }];
const futureRanges: GridDays[] = [today, { from: 0, to: 3 }, { from: 0, to: 7 }, { from: -6, to: 0 }];

function DayRange({
  title,
  draft,
  ahead,
  onChange,
}: {
  title: string;
  draft: FilterDraft;
  /** The column contains future times. */
  ahead: boolean;
  onChange: (part: Partial<FilterDraft>) => void;
}) {
  return (
    <>
      <Bounds draft={draft} onChange={onChange} type="date" max="9999-12-31" />
      <fieldset className="button-row" aria-label={t`${title}: quick ranges`}>
        {(ahead ? futureRanges : pastRanges).map((days) => (
          <Button
            key={formatDays(days)}
            size="small"
            aria-pressed={draft.days?.from === days.from && draft.days?.to === days.to}
            onClick={() => onChange(draftOfDays(days))}
          >
            {formatDays(days)}
          </Button>
        ))}
      </fieldset>
    </>
  );
}

function Bounds({
  draft,
  onChange,
  ...field
}: {
  draft: FilterDraft;
  onChange: (part: Partial<FilterDraft>) => void;
  type: 'date' | 'number';
  step?: number;
  max?: string;
}) {
  const bound = (name: 'from' | 'to', label: string) => (
    <TextField
      {...field}
      label={label}
      value={draft[name]}
      onChange={({ currentTarget: { value } }) => onChange({ [name]: value, days: null })}
      {...(name === 'from' && { 'data-autofocus': true })}
    />
  );
  return (
    <div className="grid-filter-pair">
      {bound('from', t`From`)}
      {bound('to', t`To`)}
    </div>
  );
}

/** Returns the number of rows per value of a column, given the filters of the other columns. Undefined until loaded. */
function useValueCounts(
  column: string,
  values: readonly { value: string }[],
  controls: Pick<FilterControls, 'filters' | 'countValues'> | undefined,
): ReadonlyMap<string, number> | undefined {
  const [counts, setCounts] = useState<ReadonlyMap<string, number>>();
  const countLatest = useEffectEvent((signal: AbortSignal) =>
    controls?.countValues(
      column,
      values.map(({ value }) => value),
      signal,
    ),
  );
  const otherFilters = JSON.stringify(controls?.filters.filter((filter) => filter.column !== column));
  useEffect(() => {
    const controller = new AbortController();
    countLatest(controller.signal)?.then(
      (counted) => controller.signal.aborted || setCounts(counted),
      // The filter works without counts.
      () => {},
    );
    return () => controller.abort();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- filters of other columns change the counts
  }, [otherFilters]);
  return counts;
}
