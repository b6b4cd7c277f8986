/** Focuses the search box of the grid, for use before the focused element is removed. */
export function focusSearch(inGrid: Element): void {
  inGrid.closest('.grid')?.querySelector('input')?.focus();
}
