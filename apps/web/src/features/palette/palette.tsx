/** Button and shortcuts of the command palette (Ctrl+K) and of the list of shortcuts (`?`), loaded on demand. */
import { t } from '@lingui/core/macro';
import { IconSearch } from '@tabler/icons-react';
import { useState, type ComponentType } from 'react';
import { loadTexts } from '../../language/language.ts';
import { isShortcutListEnabled } from '../../lib/choice-cookie.ts';
import { isTyping, useWindowEvent } from '../../ui/events/use-window-event.ts';
import { reloadToRetry } from '../../ui/shell/screen-failure.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { topLayer } from '../../ui/dialog/top-layer.ts';
import type { PaletteProps } from './palette-dialog.tsx';
import { commandKey } from './shortcuts.ts';
import './palette.css';

const programs = {
  palette: () => import('./palette-dialog.tsx'),
  shortcuts: () => import('./shortcuts-dialog.tsx'),
};

/** Dialogs that have been loaded. They are shown while their shortcut's key event is handled, so that they receive the next key. */
const fetched: Partial<Record<keyof typeof programs, ComponentType<PaletteProps>>> = {};

async function fetchProgram(name: keyof typeof programs): Promise<ComponentType<PaletteProps>> {
  const [{ default: Dialog }] = await Promise.all([programs[name](), loadTexts('more')]);
  fetched[name] = Dialog;
  return Dialog;
}

export function Palette(props: Pick<PaletteProps, 'user' | 'signInMethods'>) {
  const [shown, setShown] = useState<{ Dialog: ComponentType<PaletteProps> } | null>(null);

  const open = async (name: keyof typeof programs) => {
    try {
      const before = topLayer();
      const Dialog = fetched[name] ?? (await fetchProgram(name));
      // The user may have opened another dialog while this one loaded.
      if ([before, document.body].includes(topLayer())) setShown({ Dialog });
    } catch {
      toast.failure(t`This could not be loaded. Check your connection and try again.`, {
        action: { label: t`Try again`, onClick: () => reloadToRetry(() => open(name)) },
      });
    }
  };

  const onKey = (event: KeyboardEvent) => {
    // Preloads the palette when Ctrl is pressed, before the K of its shortcut.
    if (event.key === 'Control' || event.key === 'Meta') void fetchProgram('palette').catch(() => {});
    const name = dialogOfKey(event);
    // The shortcut is ignored while another dialog is open.
    if (!name || topLayer() !== document.body) return;
    event.preventDefault();
    event.stopPropagation();
    void open(name);
  };
  // Captures key events, since grids and menus stop their propagation.
  useWindowEvent('keydown', onKey, true);

  return (
    <>
      <button
        type="button"
        className="palette-button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onPointerEnter={() => void fetchProgram('palette').catch(() => {})}
        onClick={() => void open('palette')}
      >
        <IconSearch size={18} stroke={1.75} aria-hidden="true" />
        <span className="palette-word word-of-picture">{t`Search`}</span>
        <kbd className="palette-keys" aria-hidden="true">
          {commandKey('K')}
        </kbd>
      </button>
      {shown && (
        <shown.Dialog {...props} onClose={() => setShown(null)} onShortcuts={() => void open('shortcuts')} />
      )}
    </>
  );
}

function dialogOfKey(event: KeyboardEvent): keyof typeof programs | null {
  const { key, ctrlKey, metaKey, altKey, shiftKey, repeat, target } = event;
  if (repeat || altKey) return null;
  if (ctrlKey !== metaKey && !shiftKey && key.toLowerCase() === 'k') return 'palette';
  return key === '?' && !ctrlKey && !metaKey && !isTyping(target) && isShortcutListEnabled()
    ? 'shortcuts'
    : null;
}
