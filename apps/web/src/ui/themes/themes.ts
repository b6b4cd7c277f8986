/** One of the ten themes; its colours stand in themes.css under `[data-theme='<id>']`. */
export type Theme = {
  /** The digit of Ctrl+Alt+digit that chooses it (G1). */
  readonly index: number;
  readonly id: string;
  readonly kind: 'light' | 'dark';
  readonly highContrast?: true;
};

/**
 * All themes, in the order of their digits. The first one is the default and stays Daylight: mails and sign-in pages share its colours,
 * and a site's logo, drawn for a light ground as most are, would vanish on Harbour's dark frame.
 */
export const themes = [
  { index: 0, id: 'daylight', kind: 'light' },
  { index: 1, id: 'nightfall', kind: 'dark' },
  { index: 2, id: 'contrast-light', kind: 'light', highContrast: true },
  { index: 3, id: 'contrast-dark', kind: 'dark', highContrast: true },
  { index: 4, id: 'paper', kind: 'light' },
  { index: 5, id: 'harbour', kind: 'light' },
  { index: 6, id: 'forest', kind: 'dark' },
  { index: 7, id: 'dusk', kind: 'dark' },
  { index: 8, id: 'clay', kind: 'light' },
  { index: 9, id: 'ink', kind: 'dark' },
] as const satisfies readonly Theme[];

/** The theme with this id, or undefined for an unknown id (an old cookie, a typing error). */
export function findTheme(id: string | null | undefined): Theme | undefined {
  return themes.find((theme) => theme.id === id);
}
