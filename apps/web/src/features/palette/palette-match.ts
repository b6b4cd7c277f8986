/** Whether and how well a text that somebody typed fits an entry of the palette. Knows no entries. */

/**
 * 0 when one of the typed words is nowhere in the entry, else the more the better: the start of the entry counts most,
 * then the start of a word. Case and accents are ignored. `more` is searched too and counts less.
 */
export function scoreOf(typed: string, label: string, more = ''): number {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  const name = plain(label);
  const rest = plain(more);
  let score = 1;
  for (const word of words) {
    const at = name.indexOf(word);
    if (at === 0) score += 8;
    else if (beginsWord(name, word)) score += 4;
    else if (at > 0) score += 2;
    else if (rest.includes(word)) score += 1;
    else return 0;
  }
  return score;
}

/** Those whose label fits best first; else in the order that they came in. */
export function bestFirst<One extends { label: string; detail?: string | undefined }>(
  typed: string,
  ones: readonly One[],
): One[] {
  return ones
    .map((one) => ({ one, score: scoreOf(typed, one.label, one.detail) }))
    .toSorted((one, other) => other.score - one.score)
    .map(({ one }) => one);
}

function beginsWord(name: string, word: string): boolean {
  for (let at = name.indexOf(word); at >= 0; at = name.indexOf(word, at + 1))
    if (!/[\p{L}\p{N}]/u.test(name.charAt(at - 1))) return true;
  return false;
}

/** For comparing: without accents and capitals. */
export function plain(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Mn}+/gu, '')
    .toLowerCase()
    .trim();
}
