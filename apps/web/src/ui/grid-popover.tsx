import { useEffectEvent, useLayoutEffect, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { useLayer } from './layer-context.ts';

/** CSS pixels between the popover, what it belongs to, and the edge of the screen. */
const gap = 6;

/**
 * A small panel at a part of a grid: the browser's own popover, which closes on Esc and on a click beside it. It takes
 * the focus, keeps Tab inside, and gives the focus back to `returnTo`.
 */
export function GridPopover({
  label,
  anchor,
  returnTo,
  onClose,
  children,
}: {
  label: string;
  anchor: HTMLElement;
  returnTo: HTMLElement;
  onClose: () => void;
  children: ReactNode;
}) {
  const [panel, setPanel] = useState<HTMLDialogElement | null>(null);
  const layer = useLayer();
  const closed = useEffectEvent(onClose);

  useLayoutEffect(() => {
    if (!panel) return undefined;
    panel.showPopover();
    place(panel, anchor);
    (panel.querySelector<HTMLElement>('[data-autofocus]') ?? stops(panel)[0])?.focus();
    const onToggle = (event: Event) => {
      if ((event as ToggleEvent).newState === 'closed') closed();
    };
    const onKey = (event: KeyboardEvent) => {
      // The grid's keys and a dialog's Esc are not meant while this is open.
      event.stopPropagation();
      if (event.key === 'Tab') keepInside(panel, event);
    };
    const onLeave = () => panel.hidePopover();
    panel.addEventListener('toggle', onToggle);
    panel.addEventListener('keydown', onKey);
    window.addEventListener('resize', onLeave);
    return () => {
      panel.removeEventListener('toggle', onToggle);
      panel.removeEventListener('keydown', onKey);
      window.removeEventListener('resize', onLeave);
      // Not when the person has clicked on something else meanwhile.
      if (panel.contains(document.activeElement) || document.activeElement === document.body)
        returnTo.focus();
    };
  }, [panel, anchor, returnTo]);

  return createPortal(
    <dialog ref={setPanel} popover="auto" className="grid-popover" aria-label={label}>
      {children}
    </dialog>,
    layer,
  );
}

function place(panel: HTMLElement, anchor: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const { width, height } = panel.getBoundingClientRect();
  const left = Math.max(gap, Math.min(at.left, window.innerWidth - width - gap));
  const below = at.bottom + gap;
  const top = below + height + gap <= window.innerHeight ? below : Math.max(gap, at.top - height - gap);
  panel.style.left = `${left}px`;
  panel.style.top = `${top}px`;
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
