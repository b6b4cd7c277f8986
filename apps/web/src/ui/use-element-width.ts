import { useCallback, useState, type RefCallback } from 'react';

/** A ref for an element and its width in CSS pixels; 0 until it is on the page. */
export function useElementWidth(): [ref: RefCallback<HTMLElement>, width: number] {
  const [width, setWidth] = useState(0);
  const ref = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.round(entry.contentRect.width));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
