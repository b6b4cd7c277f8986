/**
 * A field over a list of things to go to or do, as a modal dialog: the combobox pattern of the ARIA Authoring Practices.
 * The focus stays in the field; the arrow keys choose, Enter does. Not for what is found or how: the parent decides.
 */
import { t } from '@lingui/core/macro';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { Keys } from '../marks/keys.tsx';
import { Dialog } from './dialog.tsx';
import './command-dialog.css';

/** One thing to go to or do. */
export type Command = {
  /** Unlike any other in the list. */
  id: string;
  label: string;
  /** A second line, such as an address. */
  detail?: string | undefined;
  icon?: ReactNode;
  /** The keys that do it everywhere, such as `Ctrl Alt 3`. */
  keys?: string | undefined;
  onChoose: () => unknown;
  /** The dialog stays open: choosing changes what it shows. */
  stays?: boolean;
  /** Shows what else can be done with it: the arrow key to the right, behind the text. */
  onMore?: () => void;
};

/** Commands under a title. */
export type CommandGroup = {
  title: string;
  commands: readonly Command[];
};

/** What a `CommandDialog` takes. */
type CommandDialogProps = {
  /** What the dialog is for, for screen readers. */
  title: string;
  placeholder: string;
  text: string;
  onText: (text: string) => void;
  /** Without the empty ones. */
  groups: readonly CommandGroup[];
  /** More may come. */
  busy: boolean;
  /** What screen readers hear about the list: how many there are. */
  status: string;
  /** Stands under the list: that nothing was found, that something failed. */
  note?: ReactNode;
  onClose: () => void;
};

const pageLength = 6;

export function CommandDialog(props: CommandDialogProps) {
  const { title, placeholder, text, onText, groups, busy, status, note, onClose } = props;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState({ text, id: '' });
  const commands = groups.flatMap((group) => group.commands);
  // Another text means another list: its first entry is the chosen one until an arrow key says otherwise.
  const found = chosen.text === text ? commands.findIndex((one) => one.id === chosen.id) : -1;
  const active = Math.max(0, found);
  const activeId = commands[active]?.id;

  useEffect(() => {
    if (found > 0) document.getElementById(`${id}-${activeId}`)?.scrollIntoView({ block: 'nearest' });
    else list.current?.scrollTo(0, 0);
  }, [found, id, activeId]);

  const choose = (command: Command | undefined) => {
    if (!command) return;
    // Gone before anything happens: what opens next, a message for one, would be in it.
    if (!command.stays) flushSync(onClose);
    command.onChoose();
  };
  const moveTo = (index: number) => setChosen({ text, id: commands[index]?.id ?? '' });

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const last = commands.length - 1;
    if (event.nativeEvent.isComposing || last < 0) return;
    const steps: Record<string, () => void> = {
      ArrowDown: () => moveTo(active === last ? 0 : active + 1),
      ArrowUp: () => moveTo(active === 0 ? last : active - 1),
      PageDown: () => moveTo(Math.min(last, active + pageLength)),
      PageUp: () => moveTo(Math.max(0, active - pageLength)),
      Enter: () => choose(commands[active]),
    };
    const more = commands[active]?.onMore;
    const { selectionStart, value } = event.currentTarget;
    if (more && selectionStart === value.length) steps['ArrowRight'] = more;
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
        aria-expanded={commands.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={activeId === undefined ? undefined : `${id}-${activeId}`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        enterKeyHint="go"
        maxLength={200}
        placeholder={placeholder}
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div className={busy ? 'command-line command-busy' : 'command-line'} />
      <div ref={list} className="command-scroll">
        {commands.length > 0 && (
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the elements' own lists cannot look like this
          <div role="listbox" id={`${id}-list`} aria-label={title}>
            {groups.map((group, number) => (
              // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is no part of a listbox
              <div key={group.title} role="group" aria-labelledby={`${id}-group-${number}`}>
                <div className="command-group small-print" id={`${id}-group-${number}`} role="presentation">
                  {group.title}
                </div>
                {group.commands.map((command) => (
                  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field hears the keys
                  <div
                    key={command.id}
                    id={`${id}-${command.id}`}
                    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as above
                    role="option"
                    tabIndex={-1}
                    aria-selected={command.id === activeId}
                    className="command"
                    // The focus stays in the field.
                    onPointerDown={(event) => event.preventDefault()}
                    onPointerMove={() => command.id !== activeId && setChosen({ text, id: command.id })}
                    onClick={() => choose(command)}
                  >
                    <span className="command-icon" aria-hidden="true">
                      {command.icon}
                    </span>
                    <span className="command-words">
                      <span className="one-line">{command.label}</span>
                      {command.detail && (
                        <span className="command-detail one-line small-print">{command.detail}</span>
                      )}
                    </span>
                    {command.keys && <Keys keys={command.keys} />}
                    {command.onMore && command.id === activeId && (
                      <Keys keys="→" title={t`What can be done with it`} />
                    )}
                  </div>
                ))}
              </div>
            ))}
          </div>
        )}
        {note}
      </div>
      <output className="visually-hidden">{status}</output>
    </Dialog>
  );
}
