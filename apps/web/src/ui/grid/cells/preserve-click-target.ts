import type { MouseEvent as ReactMouseEvent } from 'react';

type RowAt = (index: number) => string | undefined;

/**
 * Delivers a click to the cell under the pointer if its row is re-rendered between mousedown and mouseup, in which case the browser sends
 * no click event. Suppresses the click if another row is now at the position of the pressed row.
 */
export function preserveClickTarget({ button, target }: ReactMouseEvent, rowAt: RowAt): void {
  const cell = button === 0 ? cellOf(target, rowAt) : undefined;
  if (cell === undefined) return;
  const controller = new AbortController();
  const { signal } = controller;
  for (const event of ['mousedown', 'contextmenu', 'dragstart'])
    document.addEventListener(event, () => controller.abort(), { capture: true, signal });
  const onClick = (event: MouseEvent) => {
    controller.abort();
    if ((cellOf(event.target, rowAt) ?? cell) === cell) return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener('click', onClick, { capture: true, signal });
  const onMouseUp = (event: MouseEvent) => {
    // If the browser sends a click event, it is dispatched before this runs.
    setTimeout(() => {
      if (signal.aborted) return;
      controller.abort();
      const element = document.elementFromPoint(event.clientX, event.clientY);
      if (cellOf(element, rowAt) === cell) element?.dispatchEvent(new MouseEvent('click', event));
    });
  };
  document.addEventListener('mouseup', onMouseUp, { capture: true, signal });
}

/** Returns row id and column of the cell that contains an element. AG Grid sets the row's `row-id` attribute too late. */
function cellOf(target: EventTarget | null, rowAt: RowAt): string | undefined {
  const cell = target instanceof Element ? target.closest('.ag-cell') : null;
  const index = cell?.closest('.ag-row')?.getAttribute('row-index');
  const row = index ? rowAt(Number(index)) : undefined;
  return row === undefined ? undefined : `${row} ${cell?.getAttribute('col-id')}`;
}
