import { useState, type RefObject } from 'react';
import type { OpenRowMenu } from '../menu/row-menu.tsx';
import type { RunningGrid } from './editions/grid-edition.ts';
import type { GridRow } from './rows/grid-pages.ts';

/** State of the menu of one row. */
export function useRowMenu<Row extends GridRow>(grid: RefObject<RunningGrid<Row> | null>) {
  const [menu, setMenu] = useState<OpenRowMenu<Row> | null>(null);
  return {
    menu,
    open: (row: Row, anchor: HTMLElement) => setMenu({ row, anchor }),
    close: () => setMenu(null),
    /** After a refresh, updates the menu's row and thereby the available actions. */
    follow: () => {
      const row = menu && grid.current?.api.getRowNode(String(menu.row.id))?.data;
      if (row) setMenu({ ...menu, row });
    },
  };
}
