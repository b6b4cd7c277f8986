/** The inside of menus: entries, choices and lines, with their keys. What opens one is beside it. */
import { createContext, Fragment, use, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import '../popover/popover.css';
import { usePopover } from '../popover/use-popover.ts';
import './menu.css';
import { entriesOf, MenuKeys } from './menu-keys.ts';

/** One entry of a menu. */
export type MenuItem = {
  label: string;
  icon?: ReactNode;
  /** What it does cannot be taken back easily: shown in the colour of danger, after a line. */
  danger?: boolean;
  disabled?: boolean;
  /** May return a promise: where the entry is a button, it is busy until that settles. */
  onSelect: () => unknown;
};

/** Closes the menu and gives the focus back, before what was chosen happens. */
const LeaveContext = createContext<() => void>(() => {});

/** An open menu at `anchor`; it is open for as long as it is rendered. Entries: `MenuEntry` and `MenuEntries`. */
export function MenuPanel({
  anchor,
  returnTo = anchor,
  onClose,
  children,
  ...names
}: {
  anchor: HTMLElement;
  /** Takes the focus when the menu closes; the anchor where nothing else is named. */
  returnTo?: HTMLElement;
  onClose: () => void;
  children: ReactNode;
} & ({ 'aria-label': string } | { 'aria-labelledby': string })) {
  const panel = useRef<HTMLDivElement>(null);
  const [keys] = useState(() => new MenuKeys());
  const leave = () => {
    // First the focus: a dialog that the chosen entry opens returns it to there.
    returnTo.focus();
    onClose();
  };
  usePopover(panel, {
    anchor,
    align: 'end',
    returnTo,
    first: (menu) => entriesOf(menu)[0] ?? menu,
    onKey: (event, menu) => {
      // On to what follows the button.
      if (event.key === 'Tab') return leave();
      if (keys.press(menu, event)) event.preventDefault();
      // What a page or a grid does with a key is not meant while this is open; Enter and Space press the entry.
      if (!event.ctrlKey && !event.altKey && !event.metaKey) event.stopPropagation();
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
      <LeaveContext value={leave}>{children}</LeaveContext>
    </div>
  );
}

/** A click on the menu's button is then none beside the menu: the button decides. */
function link(button: HTMLElement, menu: HTMLElement | null): void {
  if (button instanceof HTMLButtonElement) button.popoverTargetElement = menu;
}

/** The entries of a plain list of actions. */
export function MenuEntries({ items }: { items: readonly MenuItem[] }) {
  return items.map((item, index) => (
    <Fragment key={item.label}>
      {item.danger && index > 0 && !items[index - 1]?.danger && <MenuLine />}
      <MenuEntry {...item} />
    </Fragment>
  ));
}

/** One entry: closes the menu, then acts. */
export function MenuEntry({ label, icon, danger = false, disabled = false, onSelect }: MenuItem) {
  const leave = use(LeaveContext);
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      disabled={disabled}
      className={danger ? 'menu-entry menu-danger' : 'menu-entry'}
      onClick={() => {
        leave();
        onSelect();
      }}
    >
      {icon}
      <span className="menu-name">{label}</span>
    </button>
  );
}

/** One of several that exclude each other; the menu stays open. */
export function MenuChoice({
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

/** Between groups of entries. */
export function MenuLine() {
  return <hr className="menu-line" />;
}
