/** Whether `?` opens the list of shortcuts: a choice of this browser, in a cookie, so that it outlives a log-out. */
import { keepChoice, readKept } from './choice-cookie.ts';

export function questionMarkOpens(): boolean {
  return readKept('question-mark') !== 'off';
}

export function letQuestionMarkOpen(opens: boolean): void {
  keepChoice('question-mark', opens ? null : 'off');
}
