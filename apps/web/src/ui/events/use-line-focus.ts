/** The focus in lists whose lines go, or move to another list, by what is pressed in them or answered later. */
import { useLayoutEffect, useRef, type FocusEvent } from 'react';

type Place = { control: Element; list: Element; index: number };

/**
 * For the box around such lists. The focus goes along with a field that moves and has an `id` of its own; else it stays where it was: on
 * the button of the same `name`, or the first one, of the line that has taken the place. Without a line it goes to the first `otherwise`.
 */
export function useLineFocus(otherwise: string) {
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
      box.current?.querySelector<HTMLElement>(otherwise);
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
