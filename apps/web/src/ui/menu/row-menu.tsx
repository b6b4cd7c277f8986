import { t } from '@lingui/core/macro';
import { useLayoutEffect } from 'react';
import { MenuEntries, MenuPanel, type MenuItem } from './menu-panel.tsx';

export type OpenRowMenu<Row> = {
  row: Row;
  /** The row's menu button. When the menu closes, the focus returns to the cell of the button. */
  anchor: HTMLElement;
};

/** Menu shared by all rows of a grid, because one menu per row would be slow. Items update when the row changes. */
export function RowMenu({
  anchor,
  items,
  onClose,
}: {
  anchor: HTMLElement;
  items: readonly MenuItem[];
  onClose: () => void;
}) {
  useLayoutEffect(() => {
    anchor.setAttribute('aria-expanded', 'true');
    return () => anchor.setAttribute('aria-expanded', 'false');
  }, [anchor]);
  return (
    <MenuPanel
      aria-label={t`Actions`}
      anchor={anchor}
      returnTo={anchor.closest<HTMLElement>('.ag-cell') ?? anchor}
      onClose={onClose}
    >
      <MenuEntries items={items} />
    </MenuPanel>
  );
}
