/** The site's accent colour over that of whichever theme is in force. */
import { deriveAccent } from '@vestibule/contract/accent';
import { keepAccent } from '../../lib/theme-choice.ts';
import { paintAccent, surroundingsOf } from '../../ui/theme-colours.ts';
import { currentTheme, watchTheme } from '../../ui/theme-switch.ts';

let stopWatching = () => {};

/** Shows a colour such as `#0b6653` from now on, and at the next start from the first moment; null: the themes' own. */
export function showSiteAccent(colour: string | null): void {
  stopWatching();
  const paint = () =>
    paintAccent(colour === null ? null : deriveAccent(colour, surroundingsOf(currentTheme())));
  paint();
  stopWatching = watchTheme(paint);
  keepAccent(colour);
}
