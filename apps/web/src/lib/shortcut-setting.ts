/** Whether `?` opens the list of shortcuts: a choice of this browser, in a cookie, so that it outlives a log-out. */
import { storeChoice, readChoice } from './choice-cookie.ts';

export function isShortcutListEnabled(): boolean {
  return readChoice('question-mark') !== 'off';
}

export function enableShortcutList(opens: boolean): void {
  storeChoice('question-mark', opens ? null : 'off');
}
