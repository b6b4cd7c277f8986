/** Contents and keyboard handling of menus. */
import { createContext, Fragment, use, useLayoutEffect, useRef, type ReactNode } from 'react';
import '../popover/popover.css';
import { usePopover } from '../popover/use-popover.ts';
import './menu.css';

/** Moves the focus with arrow keys, Home and End. Returns whether the key was handled. */
function moveFocus(menu: HTMLElement, key: string): boolean {
  const entries = entriesOf(menu);
  const current = entries.findIndex((entry) => entry === document.activeElement);
  const last = entries.length - 1;
  const steps: Record<string, number> = {
    ArrowDown: current === last ? 0 : current + 1,
    ArrowUp: current <= 0 ? last : current - 1,
    Home: 0,
    End: last,
  };
  const entry = entries[steps[key] ?? -1];
  entry?.focus();
  return entry !== undefined;
}

const entriesOf = (menu: HTMLElement): HTMLElement[] => [
  ...menu.querySelectorAll<HTMLElement>('[role="menuitem"]'),
];

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
      if (event.key === 'Tab') {
        // Tab continues from the button of the menu. It stays in the cell of a grid: AG Grid's rows would be the next tab stops.
        if (returnTo !== anchor) event.preventDefault();
        return closeMenu();
      }
      if (event.ctrlKey || event.altKey || event.metaKey) return undefined;
      if (moveFocus(menu, event.key)) event.preventDefault();
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
      {label}
    </button>
  );
}

export function MenuSeparator() {
  return <hr className="menu-line" />;
}
