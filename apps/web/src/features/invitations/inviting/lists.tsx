/** The lists that were dropped or pasted: how their columns were understood, named otherwise by hand, taken out again. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '../../../ui/button.tsx';
import { SelectField } from '../../../ui/fields/select-field.tsx';
import { countRows } from '../invitation-words.ts';
import type { NamedList } from './invite-draft.ts';
import { UnusableFile } from './reading/file-text.ts';
import { fieldNames, type Columns, type Field } from './reading/list-columns.ts';
import { readList } from './reading/read-list.ts';

export function Lists({
  lists,
  onChange,
  onProblem,
}: {
  lists: readonly NamedList[];
  onChange: (lists: NamedList[]) => void;
  onProblem: (sentence: string) => void;
}) {
  const readAgain = async (list: NamedList, columns: Columns) => {
    if (!list.file) return;
    onProblem('');
    try {
      const fresh = { ...list, ...(await readList(list.file, columns)) };
      onChange(lists.map((one) => (one === list ? fresh : one)));
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error;
      onProblem(`${list.title}: ${error.message}`);
    }
  };
  return (
    <ul className="invite-lists" aria-label={t`Lists`}>
      {lists.map((list, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the same file may be there twice
        <li key={`${list.title} ${index}`}>
          <div>
            <strong>{list.title}</strong>: {countRows(list.entries.length)}
            <small>{understood(list)}</small>
            {list.file instanceof File && list.titles.length > 1 && (
              <ColumnChoice list={list} onChange={(columns) => void readAgain(list, columns)} />
            )}
          </div>
          <Button
            size="small"
            variant="quiet"
            aria-label={t`Remove ${list.title}`}
            onClick={() => onChange(lists.filter((one) => one !== list))}
          >
            <Trans>Remove</Trans>
          </Button>
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
  const { columns, titles } = list;
  // Where only the addresses were found, somebody should look.
  const isUnclear = Object.keys(columns).length === 1;
  return (
    <details className="invite-columns" open={isUnclear || undefined}>
      <summary>
        <Trans>Choose the columns</Trans>
      </summary>
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
