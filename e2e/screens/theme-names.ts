/** English theme names, in the order of their shortcut digits. */
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
