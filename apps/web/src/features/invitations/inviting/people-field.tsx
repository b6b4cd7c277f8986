/** The one field that takes everybody: typed and pasted addresses, and files dropped on it or chosen. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useRef, useState, type ClipboardEvent, type DragEvent } from 'react';
import { Button } from '../../../ui/button.tsx';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import type { FormState } from '../../../ui/fields/use-form.ts';
import { UnusableFile } from './reading/file-text.ts';
import { countRows } from '../invitation-words.ts';
import type { InviteValues, NamedList } from './invite-draft.ts';
import { readList } from './reading/read-list.ts';
import { readTypedAddresses } from './reading/typed-addresses.ts';

/** A text longer than this is kept as a list: nobody reads it in a field, and the field would become slow. */
const longestTyped = 20_000;

export function PeopleField({
  form,
  lists,
  onListsChange,
}: {
  form: FormState<InviteValues>;
  lists: readonly NamedList[];
  onListsChange: (lists: NamedList[]) => void;
}) {
  const chooser = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState('');

  const add = async (files: readonly File[]) => {
    setProblem('');
    const found = [...lists];
    for (const file of files) {
      try {
        found.push({ title: file.name, ...(await readList(file)) });
      } catch (error) {
        if (!(error instanceof UnusableFile)) throw error;
        setProblem(`${file.name}: ${error.message}`);
      }
    }
    onListsChange(found);
  };

  const drop = (event: DragEvent) => {
    setOver(false);
    const files = [...event.dataTransfer.files];
    if (files.length === 0) return;
    event.preventDefault();
    void add(files);
  };

  const paste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const files = [...event.clipboardData.files];
    const text = event.clipboardData.getData('text/plain');
    const isTable = /\t.*\n/.test(text);
    if (text === '' && files.length > 0) {
      event.preventDefault();
      void add(files);
    } else if (isTable || text.length > longestTyped) {
      event.preventDefault();
      void addPasted(text, isTable);
    }
  };

  /** Cells copied out of a spreadsheet are a table, with titles maybe; anything else is read as typed. */
  const addPasted = async (text: string, isTable: boolean) => {
    setProblem('');
    try {
      const list = isTable
        ? await readList(new File([text], 'pasted'))
        : { entries: readTypedAddresses(text), columns: [] };
      onListsChange([...lists, { title: t`Pasted list`, ...list }]);
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error;
      if (text.length > longestTyped) setProblem(error.message);
      else form.set('addresses', `${form.values.addresses}\n${text}`.trim());
    }
  };

  return (
    <div
      className={over ? 'invite-people invite-people-over' : 'invite-people'}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <TextArea
        label={t`E-mail addresses`}
        description={t`One or more, separated by commas or line breaks. Names are recognised too: Anna Berg <anna@example.com>.`}
        autoComplete="off"
        spellCheck={false}
        required
        onPaste={paste}
        {...form.text('addresses')}
      />
      <div className="invite-file">
        <Button size="small" onClick={() => chooser.current?.click()}>
          <Trans>Choose a CSV file</Trans>
        </Button>
        <span>
          <Trans>or drop it here. It is read in your browser.</Trans>
        </span>
        <input
          ref={chooser}
          type="file"
          hidden
          multiple
          accept=".csv,.tsv,.txt,text/csv,text/plain,text/tab-separated-values"
          onChange={({ currentTarget }) => {
            void add([...(currentTarget.files ?? [])]);
            currentTarget.value = '';
          }}
        />
      </div>
      <div role="alert">{problem && <p className="invite-problem">{problem}</p>}</div>
      {lists.length > 0 && <Lists lists={lists} onChange={onListsChange} />}
    </div>
  );
}

function Lists({ lists, onChange }: { lists: readonly NamedList[]; onChange: (lists: NamedList[]) => void }) {
  return (
    <ul className="invite-lists" aria-label={t`Lists`}>
      {lists.map((list, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the same file may be there twice
        <li key={`${list.title} ${index}`}>
          <span>
            <strong>{list.title}</strong>: {countRows(list.entries.length)}
            {list.columns.length > 0 && (
              <small>{list.columns.map(({ field, title }) => `${field}: ${title}`).join(' · ')}</small>
            )}
          </span>
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
