/** Field for typed and pasted addresses and for files. */
import { t } from '@lingui/core/macro';
import { useRef, useState, type ClipboardEvent } from 'react';
import { Button, QuietButton } from '../../../ui/button.tsx';
import { useLineFocus } from '../../../ui/events/use-line-focus.ts';
import { TextArea } from '../../../ui/fields/field.tsx';
import { FileInput, useFileDrop } from '../../../ui/fields/file-input.tsx';
import type { FormState } from '../../../ui/fields/use-form.ts';
import { countRows } from '../invitation-texts.ts';
import { addFiles, rereadList, type UpdateLists } from './change-lists.ts';
import type { InviteValues, NamedList } from './invite-draft.ts';
import { ListInterpretation } from './list-interpretation.tsx';

/** A longer text is parsed in a worker, because it would block the page. */
const maximumSynchronousLength = 20_000;

export function PeopleField({
  form,
  lists,
  onListsChange,
}: {
  form: FormState<InviteValues>;
  lists: readonly NamedList[];
  onListsChange: UpdateLists;
}) {
  const fileInput = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState('');
  const lineFocus = useLineFocus('textarea');

  const options = { updateLists: onListsChange, onProblem: setProblem };
  const readFiles = (files: readonly File[]) => void addFiles(files, options);

  const { isDragging, dropProps } = useFileDrop(readFiles);

  /** Reads pasted files, cells of a spreadsheet and long texts as lists. Other text is pasted into the field. */
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    const text = event.clipboardData.getData('text/plain');
    const isList =
      text.includes('@') && (/\t[^\r\n]*[\r\n]/.test(text) || text.length > maximumSynchronousLength);
    if (!isList && (text !== '' || files.length === 0)) return;
    event.preventDefault();
    if (!isList) return readFiles(files);
    const onProblem = (message: string) => {
      const isTypeable = message !== '' && text.length <= maximumSynchronousLength;
      setProblem(isTypeable ? '' : message);
      if (isTypeable) form.set('addresses', ({ addresses }) => addresses + text);
    };
    void addFiles([new File([text], t`Pasted list`)], { ...options, onProblem });
  };

  return (
    <div
      {...lineFocus}
      {...dropProps}
      className={isDragging ? 'invite-people invite-people-over' : 'invite-people'}
    >
      <TextArea
        label={t`E-mail addresses`}
        description={t`One or more, separated by commas or line breaks, or cells copied from a spreadsheet. Names are recognised too: Anna Berg <anna@example.com>.`}
        rows={1}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        required
        onPaste={onPaste}
        {...form.text('addresses')}
      />
      <div className="invite-file small-print">
        <Button size="small" onClick={() => fileInput.current?.click()}>
          {t`Choose a file`}
        </Button>
        <span>{t`Excel or CSV, or drop it here. It is read in your browser.`}</span>
        <FileInput
          ref={fileInput}
          multiple
          accept=".xlsx,.csv,.tsv,.txt,.vcf,text/csv,text/vcard,text/plain,text/tab-separated-values"
          onFiles={readFiles}
        />
      </div>
      <div role="alert">{problem && <p className="invite-problem">{problem}</p>}</div>
      {lists.length > 0 && (
        <ul className="invite-lists" aria-label={t`Lists`}>
          {lists.map((list) => (
            <li key={list.id} aria-busy={list.pendingChoices !== undefined}>
              <div className="apart">
                <span>
                  <strong>{list.title}</strong>: {countRows(list.entries.length)}
                </span>
                <QuietButton
                  aria-label={t`Remove ${list.title}`}
                  onClick={() => onListsChange((previous) => previous.filter(({ id }) => id !== list.id))}
                >
                  {t`Remove`}
                </QuietButton>
              </div>
              <ListInterpretation
                list={list}
                onChoose={(choices) => void rereadList(list, choices, options)}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
