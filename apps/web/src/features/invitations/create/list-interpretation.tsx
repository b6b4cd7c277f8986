/** Columns and notes of a list, with options to read it again. */
import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { SelectField } from '../../../ui/fields/field.tsx';
import type { NamedList } from './invite-draft.ts';
import { encodingOptions, type Encoding } from '../../../lib/tables/encodings.ts';
import { fieldNames, type ReadChoices, type Columns, type Field } from './import/list-columns.ts';

export function ListInterpretation({
  list,
  onChoose,
}: {
  list: NamedList;
  onChoose: (choices: ReadChoices) => void;
}) {
  const { notes, titles, encoding, choices, pendingChoices: currentChoices = choices } = list;
  const canChoose = list.file instanceof File;
  return (
    <>
      {titles.length > 0 && <small>{describeColumns(list)}</small>}
      {notes.length > 0 && (
        <ul className="invite-list-notes">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {encoding && canChoose && (
        <SelectField
          label={t`Encoding`}
          options={encodingOptions(encoding.samples)}
          value={currentChoices.encoding ?? encoding.used}
          onChange={({ currentTarget: { value } }) =>
            onChoose({ ...currentChoices, encoding: value as Encoding })
          }
        />
      )}
      {titles.length > 1 && canChoose && <ColumnFields list={list} onChoose={onChoose} />}
    </>
  );
}

/** Returns, for example, `E-mail: Work address · Name: Person · Not used: Town`. */
function describeColumns({ columns, titles }: NamedList): string {
  const names = fieldNames();
  const used = Object.entries(columns).map(
    ([field, index]) => `${names[field as Field]}: ${titles[index] ?? ''}`,
  );
  const positions = new Set(Object.values(columns));
  const unused = titles.filter((_, index) => !positions.has(index));
  const maximum = 8;
  const listed = unused.slice(0, maximum).join(', ') + (unused.length > maximum ? ', …' : '');
  return [...used, ...(unused.length > 0 ? [t`Not used: ${listed}`] : [])].join(' · ');
}

function ColumnFields({ list, onChoose }: { list: NamedList; onChoose: (choices: ReadChoices) => void }) {
  const { titles, choices, pendingChoices: currentChoices = choices } = list;
  const columns = currentChoices.columns ?? list.columns;
  // Open at first if only addresses were found: the titles of the other columns are probably unknown.
  const [isOpen] = useState(Object.keys(columns).length === 1);
  return (
    <details className="invite-columns" open={isOpen || undefined}>
      <summary>{t`Choose the columns`}</summary>
      <div className="invite-options">
        {Object.entries(fieldNames()).map(([field, label]) => (
          <SelectField
            key={field}
            label={label}
            options={[
              ...(field === 'email' ? [] : [{ value: '', label: t`None` }]),
              ...titles.map((title, index) => ({ value: String(index), label: title })),
            ]}
            value={String(columns[field as Field] ?? '')}
            onChange={({ currentTarget: { value } }) => {
              const { [field as Field]: _previous, ...others } = columns;
              const next: Columns = value === '' ? others : { ...others, [field]: Number(value) };
              onChoose({ ...currentChoices, columns: next });
            }}
          />
        ))}
      </div>
    </details>
  );
}
