import { useLayoutEffect, useRef, type FocusEvent } from 'react';

type Place = { control: Element; list: Element; index: number };

/**
 * Restores the focus in a container of lists when the focused control is removed. Focuses a control with the same id if there is one.
 * Otherwise focuses, in the line that is now at the same position (or the last line), the control with the same `name` or the first button.
 * Without such a line, focuses the first match of `fallback`.
 */
export function useLineFocus(fallback: string) {
  const box = useRef<HTMLDivElement>(null);
  const place = useRef<Place>(null);

  useLayoutEffect(() => {
    if (!place.current) return;
    const { control, list, index } = place.current;
    if (control.isConnected) {
      place.current = placeOf(control);
      return;
    }
    place.current = null;
    const line = list.isConnected ? (list.children[index] ?? list.lastElementChild) : null;
    const next =
      document.getElementById(control.id) ??
      line?.querySelector<HTMLElement>(`[name="${control.getAttribute('name')}"]`) ??
      line?.querySelector('button') ??
      box.current?.querySelector<HTMLElement>(fallback);
    next?.focus();
  });

  return {
    ref: box,
    onFocus: ({ target }: FocusEvent) => {
      place.current = placeOf(target);
    },
    onBlur: () => {
      place.current = null;
    },
  };
}

function placeOf(control: Element): Place | null {
  const line = control.closest('li');
  const list = line?.parentElement;
  return list ? { control, list, index: [...list.children].indexOf(line) } : null;
}
