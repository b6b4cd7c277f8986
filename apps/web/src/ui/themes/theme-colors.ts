import { themes, type Theme } from './themes.ts';

/** The colors behind an accent color, as six-digit hex. The first color is the background of cards and dialogs. */
type ThemeBackground = {
  kind: 'light' | 'dark';
  surfaces: string[];
  highContrast: boolean;
};

/** Six-digit hex colors. */
type AccentShades = {
  accent: string;
  hover: string;
  text: string;
  soft: string;
};

const surfaces = ['--surface-raised', '--surface', '--surface-sunken', '--surface-hover', '--surface-glow'];
const cache = new Map<string, ThemeBackground>();

/** Reads a theme's surface colors and caches them. The browser normalizes them: built stylesheets shorten colors to `#fff`. */
export function backgroundOf(theme: Theme): ThemeBackground {
  const found = cache.get(theme.id);
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
  // Colors are not cached if the stylesheet is not loaded yet.
  if (isThere) cache.set(theme.id, surroundings);
  return surroundings;
}

/** Converts a computed color such as `rgb(255, 255, 255)`. */
function sixDigits(computed: string): string {
  const channels = computed.match(/\d+/g)?.slice(0, 3) ?? [];
  return `#${channels.map((channel) => Number(channel).toString(16).padStart(2, '0')).join('')}`;
}

/** Overrides the theme's accent colors; null restores the theme's own. */
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

export function allBackgrounds(): { theme: Theme; on: ThemeBackground }[] {
  return themes.map((theme) => ({ theme, on: backgroundOf(theme) }));
}
