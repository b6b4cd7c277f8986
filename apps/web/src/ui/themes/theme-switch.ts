/** The current theme, and changes by choice or keyboard shortcut. */
import { t } from '@lingui/core/macro';
import { topLayer } from '../dialog/top-layer.ts';
import { Listeners } from '../listeners.ts';
import { findTheme, themes, type Theme } from './themes.ts';

const names = (): Record<(typeof themes)[number]['id'], string> => ({
  daylight: t`Daylight`,
  nightfall: t`Nightfall`,
  'contrast-light': t`High contrast light`,
  'contrast-dark': t`High contrast dark`,
  paper: t`Paper`,
  harbour: t`Harbour`,
  forest: t`Forest`,
  dusk: t`Dusk`,
  clay: t`Clay`,
  ink: t`Ink`,
});

/** Returns the display name of a theme. */
export const themeName = (id: string): string => names()[id as keyof ReturnType<typeof names>];

let current: Theme | undefined;
let choice = 'system';
let storeChoice: ((id: string) => void) | undefined;
const listeners = new Listeners();

/** Returns the applied theme, or the one that the system prefers. */
export const currentTheme = (): Theme => current ?? systemTheme();

/** Returns the chosen theme id, or `system`. */
export const themeChoice = (): string => choice;

/** Applies a theme. Unknown ids select the system's preference. */
export function applyTheme(id: string | null | undefined): Theme {
  choice = findTheme(id)?.id ?? 'system';
  current = findTheme(id) ?? systemTheme();
  document.documentElement.dataset['theme'] = current.id;
  listeners.notify();
  return current;
}

/** Applies, announces and stores the user's choice. `system` follows the system's preference. */
export function chooseTheme(id: string): void {
  announceTheme(themeName(applyTheme(id).id));
  storeChoice?.(id);
}

/** Calls `listener` after each change. Returns the function that removes the listener. */
export const watchTheme = listeners.watch;

/**
 * Applies `initial` and handles Ctrl+Alt+digit (G1). `onChange` receives each chosen id. Returns the function that removes the key handler.
 */
export function startThemeSwitch(options: {
  initial?: string | null | undefined;
  onChange?: (id: string) => void;
}): () => void {
  applyTheme(options.initial);
  storeChoice = options.onChange;
  const onKey = (event: KeyboardEvent) => {
    const theme = themeOfShortcut(event);
    if (!theme) return;
    event.preventDefault();
    chooseTheme(theme.id);
  };
  // Captures key events, because grids and menus stop their propagation.
  window.addEventListener('keydown', onKey, { capture: true });
  for (const query of Object.values(systemQueries))
    window.matchMedia(query).addEventListener('change', () => choice === 'system' && applyTheme(choice));
  return () => window.removeEventListener('keydown', onKey, { capture: true });
}

/** Returns the theme of a shortcut. Uses `code`, which is independent of the layout. Ignores AltGr, which Windows reports as Ctrl+Alt. */
export function themeOfShortcut(
  event: Pick<KeyboardEvent, 'code' | 'ctrlKey' | 'altKey' | 'metaKey' | 'repeat' | 'getModifierState'>,
): Theme | undefined {
  if (!event.ctrlKey || !event.altKey || event.metaKey || event.repeat) return undefined;
  if (event.getModifierState('AltGraph')) return undefined;
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
  return digit === undefined ? undefined : themes[Number(digit)];
}

const systemQueries = { dark: '(prefers-color-scheme: dark)', contrast: '(prefers-contrast: more)' };

function systemTheme(): Theme {
  const { matches: dark } = window.matchMedia(systemQueries.dark);
  const { matches: contrast } = window.matchMedia(systemQueries.contrast);
  return themes[(contrast ? 2 : 0) + (dark ? 1 : 0)] ?? themes[0];
}

let notice: HTMLElement | undefined;
let hideTimer: ReturnType<typeof setTimeout> | undefined;

/** Shows and announces the theme's name briefly. Without React, because it also works on the login screen. */
function announceTheme(name: string): void {
  notice ??= createNotice();
  const home = topLayer();
  if (notice.parentElement !== home) home.append(notice);
  if (!notice.matches(':popover-open')) notice.showPopover();
  notice.textContent = t`Theme: ${name}`;
  clearTimeout(hideTimer);
  hideTimer = setTimeout(() => notice?.hidePopover(), 1800);
}

function createNotice(): HTMLElement {
  const element = document.createElement('div');
  element.className = 'theme-notice';
  element.popover = 'manual';
  element.role = 'status';
  return element;
}
