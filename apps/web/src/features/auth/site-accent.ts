/** The site's accent color, applied over any theme. */
import { storeAccent } from '../../lib/theme-choice.ts';
import { paintAccent, backgroundOf } from '../../ui/themes/theme-colors.ts';
import { currentTheme, watchTheme } from '../../ui/themes/theme-switch.ts';

let stopWatching = () => {};

/** Applies a color such as `#0b6653` and stores it for the next first paint; null restores the theme's own. */
export function showSiteAccent(color: string | null): void {
  stopWatching();
  storeAccent(color);
  if (color === null) paintAccent(null);
  // Offline the theme's own color stays.
  else paintWithEveryTheme(color).catch(() => {});
}

async function paintWithEveryTheme(color: string): Promise<void> {
  let isCurrent = true;
  stopWatching = () => (isCurrent = false);
  // Loaded on demand: it would be a tenth of the login screen's code.
  const { deriveAccent } = await import('@vestibule/contract/rules/accent');
  if (!isCurrent) return;
  const paint = () => paintAccent(deriveAccent(color, backgroundOf(currentTheme())));
  paint();
  stopWatching = watchTheme(paint);
}
