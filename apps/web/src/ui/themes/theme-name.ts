import { t } from '@lingui/core/macro';
import type { themes } from './themes.ts';

type ThemeId = (typeof themes)[number]['id'];

const names = (): Record<ThemeId, string> => ({
  daylight: t`Daylight`,
  nightfall: t`Nightfall`,
  'contrast-light': t`High contrast light`,
  'contrast-dark': t`High contrast dark`,
  paper: t`Paper`,
  harbour: t`Harbour`,
  forest: t`Forest`,
  dusk: t`Dusk`,
  clay: t`Clay`,
  ink: t`Ink`,
});

/** Returns the display name of a theme. */
export function themeName(id: string): string {
  return names()[id as ThemeId];
}
