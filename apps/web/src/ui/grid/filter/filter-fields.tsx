/** How each kind of column is filtered: texts, values, days and numbers. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useId, useState } from 'react';
import { formatNumber } from '../../../language/formats.ts';
import { Button } from '../../button.tsx';
import { SelectField } from '../../fields/select-field.tsx';
import { TextField } from '../../fields/text-field.tsx';
import type { GridColumn } from '../columns/grid-column.ts';
import { boundsText, daysText, draftOfDays, type FilterDraft, type GridDays } from '../rows/grid-query.ts';
import type { QuestionState } from '../rows/use-grid-filters.ts';
import { useValueCounts } from './use-value-counts.ts';

/** More values than these get a search box of their own. */
const manyValues = 9;

type Question = Pick<QuestionState, 'filters' | 'countValues'>;

/** The fields of one column's filter. */
export function FilterFields({
  column,
  draft,
  onChange,
  question,
}: {
  column: GridColumn<never>;
  draft: FilterDraft;
  onChange: (draft: FilterDraft) => void;
  /** Tells how many rows have each value, which is said beside it where there are few. */
  question: Question;
}) {
  const { filter } = column;
  if (!filter) return null;
  const change = (part: Partial<FilterDraft>) => onChange({ ...draft, ...part });
  const usual = filter.kind === 'text' ? 'contains' : filter.kind === 'set' ? 'oneOf' : 'between';
  return (
    <>
      {'optional' in filter && filter.optional && (
        <SelectField
          label={t`Condition`}
          value={draft.is}
          options={[
            { value: usual, label: filter.kind === 'text' ? t`contains` : t`is between` },
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
          question={question}
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
  question,
  values,
  chosen,
  onChange,
}: {
  column: GridColumn<never>;
  question: Question;
  values: readonly { value: string; label: string }[];
  chosen: readonly string[];
  onChange: (values: string[]) => void;
}) {
  const [search, setSearch] = useState('');
  const listId = useId();
  const counts = useValueCounts(id, values, values.length > manyValues ? undefined : question);
  const wanted = search.trim().toLocaleLowerCase();
  const shown = values.filter(({ label }) => label.toLocaleLowerCase().includes(wanted));
  const toggle = (value: string) =>
    onChange(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]);
  return (
    <>
      {values.length > manyValues && (
        <TextField
          label={t`Search values`}
          autoComplete="off"
          value={search}
          onChange={({ currentTarget: { value } }) => setSearch(value)}
          // Enter here would close what is not done yet.
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
        {shown.length === 0 && (
          <p className="quiet">
            <Trans>No matching value.</Trans>
          </p>
        )}
      </fieldset>
    </>
  );
}

const today = { from: 0, to: 0 };
const past: GridDays[] = [today, { from: -6, to: 0 }, { from: -29, to: 0 }];
/** Of what is still to come. */
const coming: GridDays[] = [today, { from: 0, to: 3 }, { from: 0, to: 7 }, { from: -6, to: 0 }];

function DayRange({
  title,
  draft,
  ahead,
  onChange,
}: {
  title: string;
  draft: FilterDraft;
  /** The column is of what is still to come. */
  ahead: boolean;
  onChange: (part: Partial<FilterDraft>) => void;
}) {
  return (
    <>
      <Bounds draft={draft} onChange={onChange} type="date" max="9999-12-31" />
      {draft.moments && <ExactTimes {...boundsText(draft.moments)} />}
      <fieldset className="button-row" aria-label={t`${title}: quick ranges`}>
        {(ahead ? coming : past).map((days) => (
          <Button
            key={daysText(days)}
            size="small"
            aria-pressed={draft.days?.from === days.from && draft.days?.to === days.to}
            onClick={() => onChange(draftOfDays(days))}
          >
            {daysText(days)}
          </Button>
        ))}
      </fieldset>
    </>
  );
}

/** Says which moments the filter has while the day fields show only their days. */
function ExactTimes({ from, to }: { from: string; to: string }) {
  return (
    <p className="small-print">
      {from && to ? (
        <Trans>
          The filter is from {from} to {to}. A new date selects whole days.
        </Trans>
      ) : from ? (
        <Trans>The filter is from {from}. A new date selects whole days.</Trans>
      ) : (
        <Trans>The filter is up to {to}. A new date selects whole days.</Trans>
      )}
    </p>
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
      onChange={({ currentTarget: { value } }) => onChange({ [name]: value, days: null, moments: null })}
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
