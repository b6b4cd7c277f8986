/** All keys that do something, in one place; `?` opens it. */
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { commandKey, themeKey } from './shortcuts.ts';

type Shortcut = [keys: string, does: string];

const sections: { title: string; shortcuts: Shortcut[] }[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      [commandKey('K'), 'Search screens, actions, people and files'],
      ['?', 'Show these shortcuts (not while you type)'],
      [themeKey('0–9'), 'Choose a theme'],
      ['Tab, Shift Tab', 'To the next, to the one before'],
      ['Esc', 'Close a dialog or a menu'],
    ],
  },
  {
    title: 'On the header of a column',
    shortcuts: [
      ['Enter', 'Sort'],
      ['Alt ↓', 'Open the filter'],
      ['Shift ← →', 'Move the column'],
      ['Alt ← →', 'Make it narrower or wider'],
    ],
  },
  {
    title: 'In a list',
    shortcuts: [
      ['Arrows, Page ↑ ↓', 'To another cell'],
      ['Home, End', 'First and last cell of the row; with Ctrl of the list'],
      ['Enter', 'Open the row'],
      ['Shift F10', 'Open the menu of the row'],
      ['Space, Shift Space', 'Tick the row; all rows up to here'],
      [commandKey('A'), 'Tick all that match'],
      [commandKey('C'), 'Copy the cell, or the ticked rows'],
    ],
  },
];

export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      title="Keyboard shortcuts"
      width={800}
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      }
    >
      <div className="shortcuts">
        {sections.map(({ title, shortcuts }) => (
          <div key={title} className="shortcuts-group">
            <h3>{title}</h3>
            <dl>
              {shortcuts.map(([keys, does]) => (
                <div key={keys}>
                  <dt>
                    <kbd className="keys">{keys}</kbd>
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </div>
    </Dialog>
  );
}
