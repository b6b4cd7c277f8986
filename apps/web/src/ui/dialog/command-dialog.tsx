/** Modal dialog with a text field and a list of commands, as in the combobox pattern of the ARIA Authoring Practices. The parent finds the commands. */
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { Keys } from '../marks/keys.tsx';
import { Dialog } from './dialog.tsx';
import './command-dialog.css';

export type Command = {
  /** Unique in the list. */
  id: string;
  label: string;
  /** Second line, such as an e-mail address. */
  detail?: string | undefined;
  icon?: ReactNode;
  /** Global keyboard shortcut, such as `Ctrl Alt 3`. */
  keys?: string | undefined;
  onChoose: () => unknown;
};

export type CommandGroup = {
  title: string;
  commands: readonly Command[];
};

type CommandDialogProps = {
  /** Accessible name of the dialog. */
  title: string;
  placeholder: string;
  text: string;
  onText: (text: string) => void;
  /** Groups without commands are not allowed. */
  groups: readonly CommandGroup[];
  /** Results are still loading. */
  busy: boolean;
  /** Announcement of the number of results. */
  status: string;
  /** Message below the list, such as an error. */
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
  // After a change of the text the first result is selected, because the results differ.
  const found = chosen.text === text ? commands.findIndex((command) => command.id === chosen.id) : -1;
  const active = Math.max(0, found);
  const activeId = commands[active]?.id;

  useEffect(() => {
    if (found > 0) document.getElementById(`${id}-${activeId}`)?.scrollIntoView({ block: 'nearest' });
    else list.current?.scrollTo(0, 0);
  }, [found, id, activeId]);

  const choose = (command: Command | undefined) => {
    if (!command) return;
    // Closes the dialog first: otherwise a toast of the command would be rendered in this dialog.
    flushSync(onClose);
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
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- native lists cannot have this design
          <div role="listbox" id={`${id}-list`} aria-label={title}>
            {groups.map((group, number) => (
              // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is not allowed in a listbox
              <div key={group.title} role="group" aria-labelledby={`${id}-group-${number}`}>
                <div className="command-group small-print" id={`${id}-group-${number}`} role="presentation">
                  {group.title}
                </div>
                {group.commands.map((command) => (
                  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field handles the keys
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
