/** Setting of this browser: whether `?` opens the list of shortcuts. */
import { storeChoice, readChoice } from './choice-cookie.ts';

export function isShortcutListEnabled(): boolean {
  return readChoice('question-mark') !== 'off';
}

export function enableShortcutList(isEnabled: boolean): void {
  storeChoice('question-mark', isEnabled ? null : 'off');
}
