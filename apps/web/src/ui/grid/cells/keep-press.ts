import type { MouseEvent as ReactMouseEvent } from 'react';

/**
 * For a press of the mouse on a row: what was pressed is what counts, also where a row is fetched again before the mouse is let go. Drawn
 * anew, it would get no click, since what was pressed is gone: whatever stands there by then, in the same cell of the same row, gets it.
 * Where another row has come into its place, that one gets none. (A touch is pressed and let go in one go.)
 */
export function keepPress({ button, target }: ReactMouseEvent): void {
  const cell = button === 0 ? cellOf(target) : undefined;
  if (cell === undefined) return;
  const over = new AbortController();
  const { signal } = over;
  for (const event of ['mousedown', 'contextmenu', 'dragstart'])
    document.addEventListener(event, () => over.abort(), { capture: true, signal });
  const onClick = (event: MouseEvent) => {
    over.abort();
    if ((cellOf(event.target) ?? cell) === cell) return;
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
      if (cellOf(under) === cell) under?.dispatchEvent(new MouseEvent('click', event));
    });
  };
  document.addEventListener('mouseup', letGo, { capture: true, signal });
}

/** Says which cell of which row something is in; undefined outside of them. */
function cellOf(target: EventTarget | null): string | undefined {
  const cell = target instanceof Element ? target.closest('.ag-cell') : null;
  const row = cell?.closest('.ag-row')?.getAttribute('row-id');
  return row ? `${row} ${cell?.getAttribute('col-id')}` : undefined;
}
