import type { Theme } from './themes.ts';

/** The colors behind an accent color, as six-digit hex. The first color is the background of cards and dialogs. */
type ThemeBackground = { kind: 'light' | 'dark'; surfaces: string[]; highContrast: boolean };

const surfaces = ['--surface-raised', '--surface', '--surface-sunken', '--surface-hover', '--surface-glow'];

/** Reads a theme's surface colors. The browser normalizes them: built stylesheets shorten colors to `#fff`. */
export function backgroundOf({ id, kind, highContrast }: Theme): ThemeBackground {
  const probe = document.createElement('div');
  probe.dataset['theme'] = id;
  document.documentElement.append(probe);
  const style = getComputedStyle(probe);
  const read = surfaces.map((name) => {
    probe.style.color = `var(${name})`;
    return sixDigits(style.color);
  });
  probe.remove();
  return { kind, surfaces: read, highContrast: highContrast === true };
}

/** Converts a computed color such as `rgb(255, 255, 255)`. */
function sixDigits(computed: string): string {
  const channels = computed.match(/\d+/g)?.slice(0, 3) ?? [];
  return `#${channels.map((channel) => Number(channel).toString(16).padStart(2, '0')).join('')}`;
}

/** Overrides the theme's accent colors by six-digit hex colors; null restores the theme's own. */
export function paintAccent(
  shades: { accent: string; hover: string; text: string; soft: string } | null,
): void {
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
