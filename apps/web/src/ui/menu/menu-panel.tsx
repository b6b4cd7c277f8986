/** Contents and keyboard handling of menus. */
import { createContext, Fragment, use, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import '../popover/popover.css';
import { usePopover } from '../popover/use-popover.ts';
import './menu.css';

/** Letters typed within this time form one search text. Milliseconds. */
const typeAheadMs = 700;

/** Keyboard handling of an open menu (ARIA Authoring Practices): arrows, Home, End, and type-ahead. */
class MenuKeys {
  #typed = '';
  #typedAt = 0;

  /** Moves the focus. Returns whether the key was handled. */
  press(menu: HTMLElement, { key, timeStamp }: KeyboardEvent): boolean {
    const entries = entriesOf(menu);
    const current = entries.findIndex((entry) => entry === document.activeElement);
    const last = entries.length - 1;
    const steps: Record<string, number> = {
      ArrowDown: current === last ? 0 : current + 1,
      ArrowUp: current <= 0 ? last : current - 1,
      Home: 0,
      End: last,
    };
    const step = steps[key];
    // Space activates an entry unless the user is typing a name.
    const typing = key.length === 1 && (key !== ' ' || this.#isTyping(timeStamp));
    if (step === undefined && !typing) return false;
    const next = step ?? this.#search(entries, current, key, timeStamp);
    entries[next]?.focus();
    return true;
  }

  #isTyping(timeStamp: number): boolean {
    return this.#typed !== '' && timeStamp - this.#typedAt < typeAheadMs;
  }

  #search(entries: readonly HTMLElement[], current: number, key: string, timeStamp: number): number {
    const letter = key.toLocaleLowerCase();
    this.#typed = this.#isTyping(timeStamp) ? this.#typed + letter : letter;
    this.#typedAt = timeStamp;
    // Typing a letter repeatedly steps through the entries that start with this letter.
    const isRepeated = this.#typed === letter.repeat(this.#typed.length);
    const searchText = isRepeated ? letter : this.#typed;
    const from = isRepeated ? current + 1 : Math.max(current, 0);
    const order = entries.map((_, index) => (from + index) % entries.length);
    return order.find((index) => nameOf(entries[index]).startsWith(searchText)) ?? current;
  }
}

function entriesOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]')];
}

function nameOf(entry: HTMLElement | undefined): string {
  return entry?.querySelector('.menu-name')?.textContent.trim().toLocaleLowerCase() ?? '';
}

export type MenuItem = {
  label: string;
  icon?: ReactNode;
  /** For actions that are hard to undo: shown in red, below a line. */
  danger?: boolean;
  /** If it returns a promise and the entry is a button, the button is busy until that settles. */
  onSelect: () => unknown;
};

/** Closes the menu and restores the focus. */
const CloseMenuContext = createContext<() => void>(() => {});

/** Open menu at `anchor`. Children: `MenuEntry` and `MenuEntries`. */
export function MenuPanel({
  anchor,
  returnTo = anchor,
  onClose,
  children,
  ...names
}: {
  anchor: HTMLElement;
  /** Receives the focus when the menu closes. Default: the anchor. */
  returnTo?: HTMLElement;
  onClose: () => void;
  children: ReactNode;
} & ({ 'aria-label': string } | { 'aria-labelledby': string })) {
  const panel = useRef<HTMLDivElement>(null);
  const [keys] = useState(() => new MenuKeys());
  const closeMenu = () => {
    // Focuses the button first: a dialog opened by the entry later returns the focus to this button.
    returnTo.focus();
    onClose();
  };
  usePopover(panel, {
    anchor,
    align: 'end',
    returnTo,
    first: (menu) => entriesOf(menu)[0] ?? menu,
    onKey: (event, menu) => {
      // Tab continues from the button of the menu.
      if (event.key === 'Tab') return closeMenu();
      if (event.ctrlKey || event.altKey || event.metaKey) return undefined;
      if (keys.press(menu, event)) event.preventDefault();
      // The page and the grid must not handle these keys. Enter and Space click the entry.
      event.stopPropagation();
      return undefined;
    },
    onClose,
  });
  useLayoutEffect(() => {
    link(anchor, panel.current);
    return () => link(anchor, null);
  }, [anchor]);
  return (
    <div {...names} ref={panel} popover="auto" role="menu" tabIndex={-1} className="popover menu">
      <CloseMenuContext value={closeMenu}>{children}</CloseMenuContext>
    </div>
  );
}

/** Makes the button the popover's invoker, so that clicking it does not count as an outside click, which would close the menu. */
function link(button: HTMLElement, menu: HTMLElement | null): void {
  if (button instanceof HTMLButtonElement) button.popoverTargetElement = menu;
}

/** Menu entries, with a line above dangerous ones. */
export function MenuEntries({ items }: { items: readonly MenuItem[] }) {
  return items.map((item, index) => (
    <Fragment key={item.label}>
      {item.danger && index > 0 && !items[index - 1]?.danger && <MenuSeparator />}
      <MenuEntry {...item} />
    </Fragment>
  ));
}

/** Menu entry. Closes the menu before it acts. */
export function MenuEntry({ label, icon, danger = false, onSelect }: MenuItem) {
  const closeMenu = use(CloseMenuContext);
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className={danger ? 'menu-entry menu-danger' : 'menu-entry'}
      onClick={() => {
        closeMenu();
        onSelect();
      }}
    >
      {icon}
      <span className="menu-name">{label}</span>
    </button>
  );
}

/** Radio item. The menu stays open. */
export function MenuRadioItem({
  checked,
  onSelect,
  children,
}: {
  checked: boolean;
  onSelect: () => void;
  children: ReactNode;
}) {
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a menu holds no radio buttons
    <button
      type="button"
      role="menuitemradio"
      aria-checked={checked}
      tabIndex={-1}
      className="menu-entry"
      onClick={onSelect}
    >
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        {checked && <path d="m3 8.5 3.5 3.5L13 4.5" fill="none" stroke="currentColor" strokeWidth="2" />}
      </svg>
      {children}
    </button>
  );
}

export function MenuSeparator() {
  return <hr className="menu-line" />;
}
