import { useRef, type ReactNode } from 'react';
import '../../popover/popover.css';
import { usePopover } from '../../popover/use-popover.ts';

/** A small panel at a part of a grid. It takes the focus, keeps Tab inside, and gives the focus back to `anchor`. */
export function GridPopover({
  label,
  anchor,
  onClose,
  children,
}: {
  label: string;
  anchor: HTMLElement;
  onClose: () => void;
  children: ReactNode;
}) {
  const panel = useRef<HTMLDialogElement>(null);
  usePopover(panel, {
    anchor,
    align: 'start',
    returnTo: anchor,
    first: (shown) => shown.querySelector<HTMLElement>('[data-autofocus]') ?? stops(shown)[0],
    onKey: (event, shown) => {
      // The grid's keys are not meant while this is open.
      event.stopPropagation();
      if (event.key === 'Tab') keepInside(shown, event);
    },
    onClose,
  });
  return (
    <dialog ref={panel} popover="auto" className="popover grid-popover" aria-label={label}>
      {children}
    </dialog>
  );
}

function stops(panel: HTMLElement): HTMLElement[] {
  return [...panel.querySelectorAll<HTMLElement>('input, select, textarea, button')].filter(
    (element) => !element.matches(':disabled') && element.tabIndex >= 0,
  );
}

function keepInside(panel: HTMLElement, event: KeyboardEvent): void {
  const all = stops(panel);
  const [first, last] = [all[0], all.at(-1)];
  const leaving = document.activeElement === (event.shiftKey ? first : last);
  if (!leaving) return;
  event.preventDefault();
  (event.shiftKey ? last : first)?.focus();
}
