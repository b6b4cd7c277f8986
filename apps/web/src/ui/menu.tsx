import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/Menu.layer.css';
import { Menu as MantineMenu } from '@mantine/core';
import { Fragment, type ReactElement, type ReactNode } from 'react';
import { useLayer } from './layer-context.ts';

/** One entry of a menu. */
export interface MenuItem {
  label: string;
  icon?: ReactNode;
  /** What it does cannot be taken back easily: shown in the colour of danger, after a line. */
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
}

/** A button (`children`) that opens a list of actions and names it: arrow keys, first letters, Esc; the focus returns to the button. */
export function Menu({ items, children }: { items: readonly MenuItem[]; children: ReactElement }) {
  return (
    <MenuFrame target={children}>
      <MenuEntries items={items} />
    </MenuFrame>
  );
}

/** The entries of a `Menu`, for a frame of another kind. */
export function MenuEntries({ items }: { items: readonly MenuItem[] }) {
  return (
    <>
      {items.map((item, index) => (
        <Fragment key={item.label}>
          {item.danger && index > 0 && !items[index - 1]?.danger && <MantineMenu.Divider />}
          <MantineMenu.Item
            leftSection={item.icon}
            disabled={item.disabled ?? false}
            className={item.danger ? 'menu-entry menu-entry-danger' : 'menu-entry'}
            onClick={({ currentTarget }) => {
              focusTarget(currentTarget);
              item.onSelect();
            }}
          >
            {item.label}
          </MantineMenu.Item>
        </Fragment>
      ))}
    </>
  );
}

/** The focus goes back to the menu's button before anything happens: a dialog that opens returns it to there. */
function focusTarget(entry: HTMLElement): void {
  const target = entry.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  if (target) document.getElementById(target)?.focus();
}

/** The frame of a menu, for lists that `Menu` cannot show; entries are Mantine's Menu parts. */
export function MenuFrame({
  target,
  opened,
  onClose,
  children,
}: {
  target: ReactElement;
  /** Given, the menu is open or closed as its parent says, and tells `onClose` when it wants to close. */
  opened?: boolean;
  onClose?: () => void;
  children: ReactNode;
}) {
  const layer = useLayer();
  return (
    <MantineMenu
      position="bottom-end"
      floatingStrategy="fixed"
      portalProps={{ target: layer }}
      transitionProps={{ duration: 0 }}
      loop
      // The first entry takes the focus. The library's placeholder for it is no entry, and a menu must hold nothing else.
      withInitialFocusPlaceholder={false}
      {...(opened !== undefined && { opened, onChange: (open: boolean) => !open && onClose?.() })}
    >
      <MantineMenu.Target>{target}</MantineMenu.Target>
      <MantineMenu.Dropdown className="menu-panel">{children}</MantineMenu.Dropdown>
    </MantineMenu>
  );
}
