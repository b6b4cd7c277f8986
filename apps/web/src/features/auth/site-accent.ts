import { deriveAccent } from '@vestibule/contract/rules/accent';
import { backgroundOf, paintAccent } from '../../ui/themes/theme-colors.ts';
import { currentTheme, watchTheme } from '../../ui/themes/theme-switch.ts';

/** Shows readable shades of a color such as `#0b6653` in every theme. Returns a function that restores the themes' own. */
export function showAccent(color: string): () => void {
  const paint = () => paintAccent(deriveAccent(color, backgroundOf(currentTheme())));
  paint();
  const stopWatching = watchTheme(paint);
  return () => {
    stopWatching();
    paintAccent(null);
  };
}
