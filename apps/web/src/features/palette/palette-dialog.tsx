/** The command palette: opens screens, and finds people, invitations, files and settings. */
import { plural, t } from '@lingui/core/macro';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { flushSync } from 'react-dom';
import type { UserDetail } from '@vestibule/contract/profile/me';
import type { FinderContext } from '../../lib/finder.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { Keys } from '../../ui/marks/keys.tsx';
import { usePaletteGroups, type Entry } from './palette-entries.tsx';
import './palette-dialog.css';

export type PaletteProps = FinderContext & {
  user: UserDetail;
  onShortcuts: () => void;
  onClose: () => void;
};

const pageLength = 6;

/** A text field and a list of entries, as in the combobox pattern of the ARIA Authoring Practices. */
export default function PaletteDialog(props: PaletteProps) {
  const { user, onClose } = props;
  const title = t`Search and commands`;
  const [text, setText] = useState('');
  const typed = text.trim();
  const { groups, busy, failure, retry } = usePaletteGroups(typed, props);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState({ text, id: '' });
  const entries = groups.flatMap((group) => group.entries);
  // After a change of the text the first result is selected, because the results differ.
  const found = chosen.text === text ? entries.findIndex((entry) => entry.id === chosen.id) : -1;
  const active = Math.max(0, found);
  const activeId = entries[active]?.id;

  useEffect(() => {
    if (found > 0) document.getElementById(`${id}-${activeId}`)?.scrollIntoView({ block: 'nearest' });
    else list.current?.scrollTo(0, 0);
  }, [found, id, activeId]);

  const choose = (entry: Entry | undefined) => {
    if (!entry) return;
    // Closes the dialog first: otherwise a toast of the command would be rendered in this dialog.
    flushSync(onClose);
    entry.onChoose();
  };
  const moveTo = (index: number) => setChosen({ text, id: entries[index]?.id ?? '' });

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const last = entries.length - 1;
    if (event.nativeEvent.isComposing || last < 0) return;
    const steps: Record<string, () => void> = {
      ArrowDown: () => moveTo(active === last ? 0 : active + 1),
      ArrowUp: () => moveTo(active === 0 ? last : active - 1),
      PageDown: () => moveTo(Math.min(last, active + pageLength)),
      PageUp: () => moveTo(Math.max(0, active - pageLength)),
      Enter: () => choose(entries[active]),
    };
    const step =
      event.ctrlKey || event.altKey || event.metaKey || event.shiftKey ? undefined : steps[event.key];
    if (!step) return;
    event.preventDefault();
    step();
  };

  return (
    <Dialog title={title} width={640} onClose={onClose} className="command-dialog">
      <input
        className="command-text"
        role="combobox"
        type="text"
        aria-label={title}
        aria-expanded={entries.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={activeId === undefined ? undefined : `${id}-${activeId}`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        enterKeyHint="go"
        maxLength={200}
        placeholder={user.IsAdmin ? t`A screen, a person, an action …` : t`A screen, a file, an action …`}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div className={busy ? 'command-line command-busy' : 'command-line'} />
      <div ref={list} className="command-scroll">
        {entries.length > 0 && (
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- native lists cannot have this design
          <div role="listbox" id={`${id}-list`} aria-label={title}>
            {groups.map((group, number) => (
              // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is not allowed in a listbox
              <div key={group.title} role="group" aria-labelledby={`${id}-group-${number}`}>
                <div className="command-group small-print" id={`${id}-group-${number}`} role="presentation">
                  {group.title}
                </div>
                {group.entries.map((entry) => (
                  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field handles the keys
                  <div
                    key={entry.id}
                    id={`${id}-${entry.id}`}
                    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as above
                    role="option"
                    tabIndex={-1}
                    aria-selected={entry.id === activeId}
                    className="command"
                    // The focus stays in the field.
                    onPointerDown={(event) => event.preventDefault()}
                    onPointerMove={() => entry.id !== activeId && setChosen({ text, id: entry.id })}
                    onClick={() => choose(entry)}
                  >
                    <EntryContent {...entry} />
                  </div>
                ))}
              </div>
            ))}
          </div>
        )}
        {entries.length === 0 && !busy && !failure && (
          <p className="command-note">
            {t`Nothing matches “${typed}”. Try fewer letters, or another part of the name.`}
          </p>
        )}
        {failure && (
          <div className="command-note" role="alert">
            {failure.title}. {failure.message}
            <Button size="small" onClick={retry}>
              {t`Try again`}
            </Button>
          </div>
        )}
      </div>
      <output className="visually-hidden">{busy ? t`Searching …` : statusOf(entries.length)}</output>
    </Dialog>
  );
}

function EntryContent({ icon, label, detail, keys }: Entry) {
  return (
    <>
      <span className="command-icon" aria-hidden="true">
        {icon}
      </span>
      <span className="command-words">
        <span className="one-line">{label}</span>
        {detail && <span className="command-detail one-line small-print">{detail}</span>}
      </span>
      {keys && <Keys keys={keys} />}
    </>
  );
}

function statusOf(count: number): string {
  if (count === 0) return t`Nothing found`;
  return plural(count, { one: '# entry', other: '# entries' });
}
