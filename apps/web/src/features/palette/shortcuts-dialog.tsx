import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { CloseAction, Dialog } from '../../ui/dialog/dialog.tsx';
import { CheckBox } from '../../ui/fields/check-box.tsx';
import { Keys } from '../../ui/marks/keys.tsx';
import { enableShortcutList, isShortcutListEnabled } from '../../lib/choice-cookie.ts';
import { commandKey, themeKey } from './shortcuts.ts';

const sections = (): { title: string; shortcuts: [keys: string, effect: string][] }[] => [
  {
    title: t`Everywhere`,
    shortcuts: [
      [commandKey('K'), t`Search screens, actions, people and files`],
      ['?', t`Show these shortcuts (not while you type)`],
      [themeKey('0–9'), t`Choose a theme`],
      [t`Tab, Shift Tab`, t`Next, previous`],
      [t`Esc`, t`Close a dialog or a menu`],
      [commandKey(t`Enter`), t`Press the main button of a dialog`],
      [commandKey('Z'), t`Undo, while a message offers it`],
    ],
  },
  {
    title: t`On the header of a column`,
    shortcuts: [
      [t`Enter`, t`Sort`],
      [t`Alt ↓`, t`Open the filter`],
      [t`Shift ← →`, t`Move the column`],
      [t`Alt ← →`, t`Make it narrower or wider`],
    ],
  },
  {
    title: t`In a list`,
    shortcuts: [
      [t`Arrows, Page ↑ ↓`, t`Move to another cell`],
      [t`Home, End`, t`First and last cell of the row; with Ctrl of the list`],
      [t`Enter`, t`Open the row`],
      [t`Shift F10`, t`Open the menu of the row`],
      [t`Space, Shift Space`, t`Tick the row; all rows up to here`],
      [commandKey('A'), t`Tick all that match`],
      [commandKey('C'), t`Copy the cell, or the ticked rows`],
      ['J, K', t`While a row is shown beside the list: the next, the one before`],
    ],
  },
];

export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const [isEnabled, setIsEnabled] = useState(isShortcutListEnabled);
  return (
    <Dialog
      title={t`Keyboard shortcuts`}
      width={800}
      onClose={onClose}
      actions={<CloseAction onClose={onClose} />}
    >
      {/* Single-character shortcuts must be possible to turn off (WCAG 2.2, 2.1.4). */}
      <CheckBox
        className="shortcuts-choice"
        checked={isEnabled}
        onChange={(next) => {
          setIsEnabled(next);
          enableShortcutList(next);
        }}
      >
        {t`Open this list with ?`}
      </CheckBox>
      <div className="shortcuts">
        {sections().map(({ title, shortcuts }) => (
          <div key={title} className="shortcuts-group">
            <h3>{title}</h3>
            <dl>
              {shortcuts.map(([keys, effect]) => (
                <div key={keys}>
                  <dt>
                    {keys.split(', ').map((combination) => (
                      <Keys key={combination} keys={combination} />
                    ))}
                  </dt>
                  <dd>{effect}</dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </div>
    </Dialog>
  );
}
