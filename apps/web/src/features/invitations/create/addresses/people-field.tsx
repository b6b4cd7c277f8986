/** Field for typed and pasted addresses and for files. */
import { t } from '@lingui/core/macro';
import type { RowCheck } from '@vestibule/contract/invitations/batches';
import { useRef, useState, type ClipboardEvent, type DragEvent } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { useLineFocus } from '../../../../ui/events/use-line-focus.ts';
import type { FormState } from '../../../../ui/fields/use-form.ts';
import { AddressChips } from './address-chips.tsx';
import { createList, typedRecipients, type InviteValues, type NamedList } from '../invite-draft.ts';
import { addFiles, type UpdateLists } from '../change-lists.ts';
import { Lists } from '../lists.tsx';
import { UnusableFile } from '../import/file-text.ts';
import { plainList } from '../import/list-columns.ts';
import { readList } from '../import/read-list.ts';
import { fitInField, readTypedAddresses, type Entry } from '../import/typed-addresses.ts';

/** A longer text is parsed in a worker, because it would block the page. */
const maximumSynchronousLength = 20_000;

export function PeopleField({
  form,
  checks,
  lists,
  onListsChange,
}: {
  form: FormState<InviteValues>;
  checks: ReadonlyMap<Entry, RowCheck>;
  lists: readonly NamedList[];
  onListsChange: UpdateLists;
}) {
  const fileInput = useRef<HTMLInputElement>(null);
  const [isDragOver, setIsDragOver] = useState(false);
  const [problem, setProblem] = useState('');
  const lineFocus = useLineFocus('textarea');

  const readFiles = (files: readonly File[]) =>
    void addFiles(files, { updateLists: onListsChange, onProblem: setProblem });

  const onDrop = (event: DragEvent) => {
    setIsDragOver(false);
    const files = [...event.dataTransfer.files];
    if (files.length === 0) return;
    event.preventDefault();
    readFiles(files);
  };

  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>): boolean => {
    const files = [...event.clipboardData.files];
    const text = event.clipboardData.getData('text/plain');
    if (text === '' && files.length > 0) {
      readFiles(files);
      return true;
    }
    // A partial address is pasted at the caret.
    if (!text.includes('@') || (form.values.addresses !== '' && !/[\n\t]/.test(text))) return false;
    void addPasted(text);
    return true;
  };

  /** Parses cells of a spreadsheet as a table, and other text as typed addresses. */
  const addPasted = async (text: string) => {
    setProblem('');
    const file = new File([text], 'pasted');
    try {
      const isTable = /\t.*\n/.test(text);
      const list =
        isTable || text.length > maximumSynchronousLength
          ? await readList(file)
          : plainList(readTypedAddresses(text));
      const entries = list.entries.map(({ row: _row, ...entry }) => entry);
      if (list.notes.length === 0 && fitInField([...form.values.people, ...entries])) addTyped(entries);
      else onListsChange((previous) => [...previous, createList(t`Pasted list`, list, file)]);
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error;
      if (text.length > maximumSynchronousLength) setProblem(error.message);
      else addTyped(readTypedAddresses(text));
    }
  };
  const addTyped = (entries: Entry[]) => {
    form.set('people', (previous) => [...typedRecipients(previous), ...entries]);
    form.set('addresses', '');
  };

  return (
    <div
      {...lineFocus}
      className={isDragOver ? 'invite-people invite-people-over' : 'invite-people'}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setIsDragOver(true);
      }}
      onDragLeave={() => setIsDragOver(false)}
      onDrop={onDrop}
    >
      <AddressChips
        {...form.values}
        checks={checks}
        error={form.errors['addresses']}
        onChange={({ people, addresses }) => {
          form.set('people', people);
          form.set('addresses', addresses);
        }}
        onPaste={onPaste}
      />
      <div className="invite-file small-print">
        <Button size="small" onClick={() => fileInput.current?.click()}>
          {t`Choose a CSV file`}
        </Button>
        <span>{t`or drop it here. It is read in your browser.`}</span>
        <input
          ref={fileInput}
          type="file"
          hidden
          multiple
          accept=".csv,.tsv,.txt,text/csv,text/plain,text/tab-separated-values"
          onChange={({ currentTarget }) => {
            readFiles([...(currentTarget.files ?? [])]);
            currentTarget.value = '';
          }}
        />
      </div>
      <div role="alert">{problem && <p className="invite-problem">{problem}</p>}</div>
      {lists.length > 0 && <Lists lists={lists} onChange={onListsChange} onProblem={setProblem} />}
    </div>
  );
}
