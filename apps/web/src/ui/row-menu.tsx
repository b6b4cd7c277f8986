import { t } from '@lingui/core/macro';
import { useLayoutEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { useLayer } from './layer-context.ts';
import { MenuEntries, MenuFrame, type MenuItem } from './menu.tsx';

/** The menu of one row, while it is open. */
export interface OpenRowMenu<Row> {
  row: Row;
  /** The row's button; the menu stands at it and gives the focus back to it. */
  anchor: HTMLElement;
}

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
  const layer = useLayer();
  const [place] = useState(() => anchor.getBoundingClientRect());

  useLayoutEffect(() => {
    anchor.setAttribute('aria-expanded', 'true');
    // The menu would stay where it is while its row scrolls away.
    window.addEventListener('wheel', onClose, { passive: true });
    window.addEventListener('resize', onClose);
    return () => {
      anchor.setAttribute('aria-expanded', 'false');
      window.removeEventListener('wheel', onClose);
      window.removeEventListener('resize', onClose);
    };
  }, [anchor, onClose]);

  const close = () => {
    // First the focus: a dialog that the chosen entry opens returns it to here.
    (anchor.closest<HTMLElement>('.ag-cell') ?? anchor).focus();
    onClose();
  };

  return (
    <>
      {createPortal(
        <MenuFrame
          opened
          onClose={close}
          target={
            // Names the menu and holds its place; the button is the row's own.
            <span
              aria-hidden="true"
              className="row-menu-anchor"
              style={{ left: place.left, top: place.top, width: place.width, height: place.height }}
            >
              <span className="visually-hidden">{t`Actions`}</span>
            </span>
          }
        >
          <MenuEntries
            items={items.map((item) => ({
              ...item,
              onSelect: () => {
                close();
                item.onSelect();
              },
            }))}
          />
        </MenuFrame>,
        layer,
      )}
    </>
  );
}
