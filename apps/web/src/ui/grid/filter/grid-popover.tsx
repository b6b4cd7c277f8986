import { useRef, type ReactNode } from 'react';
import '../../popover/popover.css';
import { usePopover } from '../../popover/use-popover.ts';

/** Small dialog anchored to part of a grid. Traps the focus and returns it to `anchor`. */
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
    first: (shown) => shown.querySelector<HTMLElement>('[data-autofocus]') ?? focusableElements(shown)[0],
    onKey: (event, shown) => {
      // The grid must not handle keys of this dialog.
      event.stopPropagation();
      if (event.key === 'Tab') trapFocus(shown, event);
    },
    onClose,
  });
  return (
    <dialog ref={panel} popover="auto" className="popover grid-popover" aria-label={label}>
      {children}
    </dialog>
  );
}

function focusableElements(panel: HTMLElement): HTMLElement[] {
  return [...panel.querySelectorAll<HTMLElement>('input, select, textarea, button')].filter(
    (element) => !element.matches(':disabled') && element.tabIndex >= 0,
  );
}

function trapFocus(panel: HTMLElement, event: KeyboardEvent): void {
  const elements = focusableElements(panel);
  const [first, last] = [elements[0], elements.at(-1)];
  const leaving = document.activeElement === (event.shiftKey ? first : last);
  if (!leaving) return;
  event.preventDefault();
  (event.shiftKey ? last : first)?.focus();
}
