import type { MouseEvent as ReactMouseEvent } from 'react';

/** Says which row stands at a place of the list, by its id. */
type RowAt = (index: number) => string | undefined;

/**
 * For a press of the mouse on a row: what was pressed is what counts, also where rows are fetched again before the mouse is let go. Drawn
 * anew, a row would get no click, since what was pressed is gone: whatever stands there by then, in the same cell of the same row, gets it.
 * Where another row has come into its place, that one gets none. (A touch is pressed and let go in one go.)
 */
export function keepPress({ button, target }: ReactMouseEvent, rowAt: RowAt): void {
  const cell = button === 0 ? cellOf(target, rowAt) : undefined;
  if (cell === undefined) return;
  const over = new AbortController();
  const { signal } = over;
  for (const event of ['mousedown', 'contextmenu', 'dragstart'])
    document.addEventListener(event, () => over.abort(), { capture: true, signal });
  const onClick = (event: MouseEvent) => {
    over.abort();
    if ((cellOf(event.target, rowAt) ?? cell) === cell) return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener('click', onClick, { capture: true, signal });
  const letGo = (event: MouseEvent) => {
    // By then the browser's own click has come, if there is one.
    setTimeout(() => {
      if (signal.aborted) return;
      over.abort();
      const under = document.elementFromPoint(event.clientX, event.clientY);
      if (cellOf(under, rowAt) === cell) under?.dispatchEvent(new MouseEvent('click', event));
    });
  };
  document.addEventListener('mouseup', letGo, { capture: true, signal });
}

/** Names the cell that something is in by its row and column; undefined outside of them. The id in the row's attributes comes late. */
function cellOf(target: EventTarget | null, rowAt: RowAt): string | undefined {
  const cell = target instanceof Element ? target.closest('.ag-cell') : null;
  const index = cell?.closest('.ag-row')?.getAttribute('row-index');
  const row = index ? rowAt(Number(index)) : undefined;
  return row === undefined ? undefined : `${row} ${cell?.getAttribute('col-id')}`;
}
