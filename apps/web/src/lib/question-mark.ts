/** Whether `?` opens the list of shortcuts: a choice of this browser, in a cookie, so that it outlives a log-out. */

const year = 365 * 24 * 60 * 60;

export function questionMarkOpens(): boolean {
  return !/(?:^|;\s*)question-mark=off(?:;|$)/.test(document.cookie);
}

export function letQuestionMarkOpen(opens: boolean): void {
  // oxlint-disable-next-line unicorn/no-document-cookie -- the Cookie Store API is not in every browser we target
  document.cookie = `question-mark=off; path=/; max-age=${opens ? 0 : year}; samesite=lax`;
}
