/** What the themes are called in English, in the order of their digits. */
export const themeNames = [
  'Daylight',
  'Nightfall',
  'High contrast light',
  'High contrast dark',
  'Paper',
  'Harbour',
  'Forest',
  'Dusk',
  'Clay',
  'Ink',
] as const;
