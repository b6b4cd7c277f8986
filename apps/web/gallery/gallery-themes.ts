import { allBackgrounds, paintAccent } from '../src/ui/themes/theme-colors.ts';
import { applyTheme } from '../src/ui/themes/theme-switch.ts';

/** Theme functions for tests. */
export const galleryThemes = { allBackgrounds, applyTheme, paintAccent };
