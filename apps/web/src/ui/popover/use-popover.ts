import { useEffectEvent, useLayoutEffect, type RefObject } from 'react';

/** CSS pixels between the popover, what it belongs to, and the edge of the screen. */
const gap = 6;

/** What `usePopover` takes. */
type PopoverOptions = {
  /** What it stands at. */
  anchor: HTMLElement;
  /** Which edges of both are in line. */
  align: 'start' | 'end';
  /** Takes the focus when it closes. */
  returnTo: HTMLElement;
  /** What takes the focus first; answers nothing where there is nothing to focus. */
  first: (panel: HTMLElement) => HTMLElement | undefined;
  onKey: (event: KeyboardEvent, panel: HTMLElement) => void;
  /** Must end the rendering of the panel. */
  onClose: () => void;
};

/**
 * Shows an element with the attribute `popover` for as long as it is rendered. The browser puts it over everything, modal
 * dialogs included, and closes it on a click beside it. It is shown, placed and given the focus in one task, and before
 * that it cannot be seen: no key can come in between and go elsewhere.
 */
export function usePopover(
  ref: RefObject<HTMLElement | null>,
  { anchor, align, returnTo, first, onKey, onClose }: PopoverOptions,
): void {
  const closed = useEffectEvent(onClose);
  const pressed = useEffectEvent(onKey);
  const starts = useEffectEvent(first);

  useLayoutEffect(() => {
    const panel = ref.current;
    if (!panel) return undefined;
    panel.showPopover();
    place(panel, anchor, align);
    starts(panel)?.focus({ preventScroll: true });

    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape') {
        // This one is used up: not for the dialog around it, nor for the grid.
        event.preventDefault();
        event.stopPropagation();
        closed();
      } else pressed(event, panel);
    };
    // Not `toggle`, which comes later: a click in between would find it closed and take it for open.
    const onToggle = (event: Event) => {
      if ((event as ToggleEvent).newState === 'closed') closed();
    };
    const onScroll = (event: Event) => {
      if (event.target instanceof Node && panel.contains(event.target)) return;
      if (isInSight(anchor)) place(panel, anchor, align);
      else closed();
    };
    const onResize = () => closed();
    panel.addEventListener('keydown', onKeyDown);
    panel.addEventListener('beforetoggle', onToggle);
    window.addEventListener('scroll', onScroll, { capture: true, passive: true });
    window.addEventListener('resize', onResize);
    return () => {
      panel.removeEventListener('keydown', onKeyDown);
      panel.removeEventListener('beforetoggle', onToggle);
      window.removeEventListener('scroll', onScroll, { capture: true });
      window.removeEventListener('resize', onResize);
      // Not when the person has clicked on something else meanwhile.
      if (panel.contains(document.activeElement) || document.activeElement === document.body)
        returnTo.focus();
    };
  }, [ref, anchor, align, returnTo]);
}

/** Below the anchor, above it where that has no room, and never beyond the edges of the screen. */
function place(panel: HTMLElement, anchor: HTMLElement, align: 'start' | 'end'): void {
  const at = anchor.getBoundingClientRect();
  // Not its rectangle: that is smaller while an animation lets it grow.
  const { offsetWidth: width, offsetHeight: height } = panel;
  const { clientWidth: screenWidth, clientHeight: screenHeight } = document.documentElement;
  const wanted = align === 'start' ? at.left : at.right - width;
  const below = at.bottom + gap;
  const top = below + height + gap <= screenHeight ? below : at.top - height - gap;
  panel.style.left = `${Math.max(gap, Math.min(wanted, screenWidth - width - gap))}px`;
  panel.style.top = `${Math.max(gap, Math.min(top, screenHeight - height - gap))}px`;
}

function isInSight(anchor: HTMLElement): boolean {
  const { top, bottom } = anchor.getBoundingClientRect();
  return anchor.isConnected && bottom > 0 && top < window.innerHeight;
}
