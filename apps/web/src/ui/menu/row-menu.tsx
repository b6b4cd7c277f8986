import { t } from '@lingui/core/macro';
import { useLayoutEffect } from 'react';
import { MenuEntries, MenuPanel, type MenuItem } from './menu-panel.tsx';

/** The menu of one row, while it is open. */
export type OpenRowMenu<Row> = {
  row: Row;
  /** The row's button; the menu stands at it and gives the focus back to its cell. */
  anchor: HTMLElement;
};

/**
 * One menu for all rows of a grid: a menu in every row would cost more than the rows. Its entries follow the row when that
 * changes meanwhile.
 */
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
