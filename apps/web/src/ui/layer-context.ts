import { createContext, use } from 'react';

/** The dialog around a part of the screen, or null outside of any. */
export const LayerContext = createContext<HTMLElement | null>(null);

/**
 * The element that menus and other floating parts must be rendered into. Inside a modal dialog that is the dialog:
 * everything else is inert, and behind it.
 */
export function useLayer(): HTMLElement {
  return use(LayerContext) ?? document.body;
}
