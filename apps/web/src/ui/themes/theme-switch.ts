/** Which theme is in force, and what changes it: a choice, or a key. */
import { t } from '@lingui/core/macro';
import { topLayer } from '../dialog/top-layer.ts';
import { Listeners } from '../listeners.ts';
import { themeName } from './theme-name.ts';
import { findTheme, themes, type Theme } from './themes.ts';

let current: Theme | undefined;
let choice = 'system';
let keep: ((id: string) => void) | undefined;
const listeners = new Listeners();

/** The theme in force: the applied one, else the one that the person's system asks for. */
export function currentTheme(): Theme {
  return current ?? systemTheme();
}

/** What was chosen: the id of a theme, or `system` for the one that the person's system asks for. */
export function themeChoice(): string {
  return choice;
}

/** Puts a theme in force at once; an unknown or missing id means the one the person's system asks for. */
export function applyTheme(id: string | null | undefined): Theme {
  choice = findTheme(id)?.id ?? 'system';
  current = findTheme(id) ?? systemTheme();
  document.documentElement.dataset['theme'] = current.id;
  listeners.notify();
  return current;
}

/** Puts a theme in force that somebody has chosen, `system` for the one that their system asks for: says which, and keeps it. */
export function chooseTheme(id: string): void {
  const theme = applyTheme(id);
  announceTheme(themeName(theme.id));
  keep?.(id);
}

/** Calls `listener` after every change of theme; the answer stops that. */
export const watchTheme = listeners.watch;

/**
 * Applies `initial` and lets Ctrl+Alt+digit choose a theme (G1); `onChange` gets the id of every chosen one, to keep it.
 * The answer ends the listening.
 */
export function startThemeSwitch(options: {
  initial?: string | null | undefined;
  onChange?: (id: string) => void;
}): () => void {
  applyTheme(options.initial);
  keep = options.onChange;
  const onKey = (event: KeyboardEvent) => {
    const theme = themeOfShortcut(event);
    if (!theme) return;
    event.preventDefault();
    chooseTheme(theme.id);
  };
  // Capturing, so that a grid or a menu that stops key events does not swallow it.
  window.addEventListener('keydown', onKey, { capture: true });
  return () => window.removeEventListener('keydown', onKey, { capture: true });
}

/**
 * The theme a key press asks for. `code` is the key's place, so every layout works; AltGr, which Windows reports as
 * Ctrl+Alt, types characters such as `{` and is left alone.
 */
export function themeOfShortcut(
  event: Pick<KeyboardEvent, 'code' | 'ctrlKey' | 'altKey' | 'metaKey' | 'repeat' | 'getModifierState'>,
): Theme | undefined {
  if (!event.ctrlKey || !event.altKey || event.metaKey || event.repeat) return undefined;
  if (event.getModifierState('AltGraph')) return undefined;
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
  return digit === undefined ? undefined : themes[Number(digit)];
}

function asks(query: string): boolean {
  return window.matchMedia(query).matches;
}

function systemTheme(): Theme {
  const dark = asks(`(prefers-color-scheme: dark)`);
  const contrast = asks(`(prefers-contrast: more)`);
  return themes[(contrast ? 2 : 0) + (dark ? 1 : 0)] ?? themes[0];
}

let notice: HTMLElement | undefined;
let hiding: ReturnType<typeof setTimeout> | undefined;

/** Shows and announces the theme's name for a moment; plain DOM, since it also works on the login screen. */
function announceTheme(name: string): void {
  notice ??= createNotice();
  const home = topLayer();
  if (notice.parentElement !== home) home.append(notice);
  if (!notice.matches(':popover-open')) notice.showPopover();
  notice.textContent = t`Theme: ${name}`;
  clearTimeout(hiding);
  hiding = setTimeout(() => notice?.hidePopover(), 1800);
}

function createNotice(): HTMLElement {
  const element = document.createElement('div');
  element.className = 'theme-notice';
  element.popover = 'manual';
  element.role = 'status';
  return element;
}
