/** The site's accent colour over that of whichever theme is in force. */
import { storeAccent } from '../../lib/theme-choice.ts';
import { paintAccent, backgroundOf } from '../../ui/themes/theme-colors.ts';
import { currentTheme, watchTheme } from '../../ui/themes/theme-switch.ts';

let stopWatching = () => {};

/** Shows a colour such as `#0b6653` from now on, and at the next start from the first moment; null: the themes' own. */
export function showSiteAccent(colour: string | null): void {
  stopWatching();
  storeAccent(colour);
  if (colour === null) paintAccent(null);
  // A lost connection is told by what cannot do without one; the theme's own colour stays.
  else paintAlways(colour).catch(() => {});
}

async function paintAlways(colour: string): Promise<void> {
  let isWanted = true;
  stopWatching = () => (isWanted = false);
  // Loaded where a site has a colour of its own: this arithmetic would be a tenth of the login screen's program.
  const { deriveAccent } = await import('@vestibule/contract/rules/accent');
  if (!isWanted) return;
  const paint = () => paintAccent(deriveAccent(colour, backgroundOf(currentTheme())));
  paint();
  stopWatching = watchTheme(paint);
}
