/** What goes away when it is pressed leaves the focus to the search box of its grid. */
export function focusSearch(inGrid: Element): void {
  inGrid.closest('.grid')?.querySelector('input')?.focus();
}
