/** One of the ten themes; its colours stand in themes.css under `[data-theme='<id>']`. */
export interface Theme {
  /** The digit of Ctrl+Alt+digit that chooses it (G1). */
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly kind: 'light' | 'dark';
  readonly highContrast?: true;
}

/** All themes, in the order of their digits. */
export const themes = [
  { index: 0, id: 'daylight', name: 'Daylight', kind: 'light' },
  { index: 1, id: 'nightfall', name: 'Nightfall', kind: 'dark' },
  { index: 2, id: 'contrast-light', name: 'High contrast light', kind: 'light', highContrast: true },
  { index: 3, id: 'contrast-dark', name: 'High contrast dark', kind: 'dark', highContrast: true },
  { index: 4, id: 'paper', name: 'Paper', kind: 'light' },
  { index: 5, id: 'harbour', name: 'Harbour', kind: 'light' },
  { index: 6, id: 'forest', name: 'Forest', kind: 'dark' },
  { index: 7, id: 'dusk', name: 'Dusk', kind: 'dark' },
  { index: 8, id: 'clay', name: 'Clay', kind: 'light' },
  { index: 9, id: 'ink', name: 'Ink', kind: 'dark' },
] as const satisfies readonly Theme[];

/** The theme with this id, or undefined for an unknown id (an old cookie, a typing error). */
export function findTheme(id: string | null | undefined): Theme | undefined {
  return themes.find((theme) => theme.id === id);
}
