import { useEffectEvent, useLayoutEffect, type RefObject } from 'react';

/** Distance from the anchor and the edge of the screen, in CSS pixels. */
const gap = 6;

type PopoverOptions = {
  anchor: HTMLElement;
  /** The edges of anchor and popover that are aligned. */
  align: 'start' | 'end';
  /** Receives the focus when the popover closes. */
  returnTo: HTMLElement;
  /** Returns the element to focus first. */
  first: (panel: HTMLElement) => HTMLElement | undefined;
  onKey: (event: KeyboardEvent, panel: HTMLElement) => void;
  /** The parent must stop rendering the popover. */
  onClose: () => void;
};

/**
 * Opens an element with the attribute `popover` while it is rendered. Opening, positioning and focusing happen in one task, so that no
 * key event can go elsewhere in between.
 */
export function usePopover(
  ref: RefObject<HTMLElement | null>,
  { anchor, align, returnTo, first, onKey, onClose }: PopoverOptions,
): void {
  const close = useEffectEvent(onClose);
  const handleKey = useEffectEvent(onKey);
  const findFirst = useEffectEvent(first);

  useLayoutEffect(() => {
    const panel = ref.current;
    if (!panel) return undefined;
    panel.showPopover();
    place(panel, anchor, align);
    findFirst(panel)?.focus({ preventScroll: true });

    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape') {
        // A dialog or grid around the popover must not handle this key.
        event.preventDefault();
        event.stopPropagation();
        close();
      } else handleKey(event, panel);
    };
    // Uses `beforetoggle`, because `toggle` fires too late: a click before it would treat the popover as open.
    const onToggle = (event: Event) => {
      if ((event as ToggleEvent).newState === 'closed') close();
    };
    // Phones resize the window when they show the keyboard or hide the address bar.
    const onMove = (event: Event) => {
      if (event.target instanceof Node && panel.contains(event.target)) return;
      if (isVisible(anchor)) place(panel, anchor, align);
      else close();
    };
    panel.addEventListener('keydown', onKeyDown);
    panel.addEventListener('beforetoggle', onToggle);
    window.addEventListener('scroll', onMove, { capture: true, passive: true });
    window.addEventListener('resize', onMove);
    return () => {
      panel.removeEventListener('keydown', onKeyDown);
      panel.removeEventListener('beforetoggle', onToggle);
      window.removeEventListener('scroll', onMove, { capture: true });
      window.removeEventListener('resize', onMove);
      // The focus is not moved if the user has focused something else.
      if (panel.contains(document.activeElement) || document.activeElement === document.body)
        returnTo.focus();
    };
  }, [ref, anchor, align, returnTo]);
}

/** Places the panel below the anchor, or above if there is no space, within the screen. */
function place(panel: HTMLElement, anchor: HTMLElement, align: 'start' | 'end'): void {
  const at = anchor.getBoundingClientRect();
  // The bounding rectangle would be smaller during the opening animation.
  const { offsetWidth: width, offsetHeight: height } = panel;
  const { clientWidth: screenWidth, clientHeight: screenHeight } = document.documentElement;
  const left = align === 'start' ? at.left : at.right - width;
  const below = at.bottom + gap;
  const top = below + height + gap <= screenHeight ? below : at.top - height - gap;
  panel.style.left = `${Math.max(gap, Math.min(left, screenWidth - width - gap))}px`;
  panel.style.top = `${Math.max(gap, Math.min(top, screenHeight - height - gap))}px`;
}

function isVisible(anchor: HTMLElement): boolean {
  const { top, bottom } = anchor.getBoundingClientRect();
  return anchor.isConnected && bottom > 0 && top < window.innerHeight;
}
