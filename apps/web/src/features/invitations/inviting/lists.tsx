/** The lists that were dropped or pasted: how their columns were understood, named otherwise by hand, taken out again. */
import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { QuietButton } from '../../../ui/button.tsx';
import { SelectField } from '../../../ui/fields/select-field.tsx';
import { countRows } from '../invitation-words.ts';
import { chooseColumns, type ChangeLists } from './change-lists.ts';
import type { NamedList } from './invite-draft.ts';
import { fieldNames, type Columns, type Field } from './reading/list-columns.ts';

export function Lists({
  lists,
  onChange,
  onProblem,
}: {
  lists: readonly NamedList[];
  onChange: ChangeLists;
  onProblem: (sentence: string) => void;
}) {
  const choose = (list: NamedList, columns: Columns) =>
    void chooseColumns(list, columns, { change: onChange, onProblem });
  return (
    <ul className="invite-lists" aria-label={t`Lists`}>
      {lists.map((list) => (
        <li key={list.id}>
          <div>
            <strong>{list.title}</strong>: {countRows(list.entries.length)}
            <small>{understood(list)}</small>
            {list.file instanceof File && list.titles.length > 1 && (
              <ColumnChoice list={list} onChange={(columns) => choose(list, columns)} />
            )}
          </div>
          <QuietButton
            aria-label={t`Remove ${list.title}`}
            onClick={() => onChange((before) => before.filter(({ id }) => id !== list.id))}
          >
            {t`Remove`}
          </QuietButton>
        </li>
      ))}
    </ul>
  );
}

/** `E-mail: Work address · Name: Person`. */
function understood({ columns, titles }: NamedList): string {
  const names = fieldNames();
  return Object.entries(columns)
    .map(([field, at]) => `${names[field as Field]}: ${titles[at] ?? ''}`)
    .join(' · ');
}

function ColumnChoice({ list, onChange }: { list: NamedList; onChange: (columns: Columns) => void }) {
  const { titles, chosen: columns = list.columns } = list;
  // Where only the addresses were found, somebody should look.
  const [isUnclear] = useState(Object.keys(columns).length === 1);
  return (
    <details className="invite-columns" open={isUnclear || undefined}>
      <summary>{t`Choose the columns`}</summary>
      <div className="invite-options">
        {Object.entries(fieldNames()).map(([field, label]) => (
          <SelectField
            key={field}
            label={label}
            options={[
              ...(field === 'email' ? [] : [{ value: '', label: t`None` }]),
              ...titles.map((title, at) => ({ value: String(at), label: title })),
            ]}
            value={String(columns[field as Field] ?? '')}
            onChange={({ currentTarget: { value } }) => {
              const { [field as Field]: _before, ...others } = columns;
              onChange(value === '' ? others : { ...others, [field]: Number(value) });
            }}
          />
        ))}
      </div>
    </details>
  );
}
