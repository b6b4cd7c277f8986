import { backgroundOf, paintAccent } from '../src/ui/themes/theme-colors.ts';
import { applyTheme } from '../src/ui/themes/theme-switch.ts';
import { themes } from '../src/ui/themes/themes.ts';

/** Theme functions for tests. */
export const galleryThemes = {
  allBackgrounds: () => themes.map((theme) => ({ theme: { id: theme.id }, on: backgroundOf(theme) })),
  applyTheme,
  paintAccent,
};
