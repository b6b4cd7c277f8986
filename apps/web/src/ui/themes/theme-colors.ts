import { themes, type Theme } from './themes.ts';

/** What the accent stands on in a theme; colours are six-digit, that of cards and dialogs first. */
type ThemeSurroundings = {
  kind: 'light' | 'dark';
  surfaces: string[];
  highContrast: boolean;
};

/** The shades of an accent, as six-digit colours. */
type AccentShades = {
  accent: string;
  hover: string;
  text: string;
  soft: string;
};

const surfaces = ['--surface-raised', '--surface', '--surface-sunken', '--surface-hover', '--surface-glow'];
const known = new Map<string, ThemeSurroundings>();

/**
 * Reads a theme's surfaces, whichever theme is in force. They are the stylesheet's, so once is enough. A built stylesheet
 * writes colours as short as it can (`#fff`): the browser says what they are.
 */
export function backgroundOf(theme: Theme): ThemeSurroundings {
  const found = known.get(theme.id);
  if (found) return found;
  const probe = document.createElement('div');
  probe.dataset['theme'] = theme.id;
  document.documentElement.append(probe);
  const style = getComputedStyle(probe);
  const isThere = surfaces.every((name) => style.getPropertyValue(name) !== '');
  const read = surfaces.map((name) => {
    probe.style.color = `var(${name})`;
    return sixDigits(style.color);
  });
  probe.remove();
  const surroundings = { kind: theme.kind, surfaces: read, highContrast: theme.highContrast === true };
  // Not before the stylesheet is there.
  if (isThere) known.set(theme.id, surroundings);
  return surroundings;
}

/** Of a colour as browsers compute it: `rgb(255, 255, 255)`. */
function sixDigits(computed: string): string {
  const channels = computed.match(/\d+/g)?.slice(0, 3) ?? [];
  return `#${channels.map((channel) => Number(channel).toString(16).padStart(2, '0')).join('')}`;
}

/** Puts shades over those of the theme in force; null takes them away. */
export function paintAccent(shades: AccentShades | null): void {
  const { style } = document.documentElement;
  const values = {
    '--accent': shades?.accent,
    '--accent-hover': shades?.hover,
    '--accent-text': shades?.text,
    '--accent-soft': shades?.soft,
  };
  for (const [name, value] of Object.entries(values))
    if (value === undefined) style.removeProperty(name);
    else style.setProperty(name, value);
}

/** Every theme with what the accent stands on there. */
export function allBackgrounds(): { theme: Theme; on: ThemeSurroundings }[] {
  return themes.map((theme) => ({ theme, on: backgroundOf(theme) }));
}
