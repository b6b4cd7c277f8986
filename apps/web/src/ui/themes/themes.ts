/** A theme. Its colors are in themes.css under `[data-theme='<id>']`. */
export type Theme = {
  /** Digit of the shortcut Ctrl+Alt+digit (G1). */
  readonly index: number;
  readonly id: string;
  readonly kind: 'light' | 'dark';
  readonly highContrast?: true;
};

/** Themes in the order of their digits. The first one is the default: mails and sign-in pages share its colors. */
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

export const findTheme = (id: string | null | undefined): Theme | undefined =>
  themes.find((theme) => theme.id === id);
