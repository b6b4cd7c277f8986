import { useRef, type MouseEvent as ReactMouseEvent } from 'react';

/**
 * Handlers for what the rows stand in. A row that is fetched again is drawn anew, and where that happens between press and release of
 * the mouse, the browser makes no click of it: what was pressed is gone. Then whatever stands in the same cell of the same row gets it.
 * (A touch is pressed and released in one go.)
 */
export function useKeptPress() {
  const pressed = useRef<string>(undefined);
  return {
    onMouseDown: ({ button, target }: ReactMouseEvent) => {
      pressed.current = button === 0 ? cellOf(target) : undefined;
    },
    onClickCapture: () => {
      pressed.current = undefined;
    },
    onMouseUp: ({ nativeEvent }: ReactMouseEvent) => {
      // By then the browser's own click has come, if there is one.
      setTimeout(() => {
        const cell = pressed.current;
        pressed.current = undefined;
        const target = document.elementFromPoint(nativeEvent.clientX, nativeEvent.clientY);
        if (cell !== undefined && cellOf(target) === cell)
          target?.dispatchEvent(new MouseEvent('click', nativeEvent));
      });
    },
  };
}

/** Says which cell of which row something is in; undefined outside of them. */
function cellOf(target: EventTarget | null): string | undefined {
  const cell = target instanceof Element ? target.closest('.ag-cell') : null;
  const row = cell?.closest('.ag-row')?.getAttribute('row-id');
  return row ? `${row} ${cell?.getAttribute('col-id')}` : undefined;
}
