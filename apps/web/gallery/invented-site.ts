import { allBackgrounds, paintAccent } from '../src/ui/themes/theme-colors.ts';
import { applyTheme } from '../src/ui/themes/theme-switch.ts';

/** What the tests may ask of the themes from outside. */
export const inventedSite = { allSurroundings: allBackgrounds, applyTheme, paintAccent };
