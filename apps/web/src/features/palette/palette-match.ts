/**
 * Scores an entry. Each typed word scores most at the start of the label, less at the start of a later word, still less inside a word, and
 * least in `more`. The score is 0 if a word is missing.
 */
export function scoreOf(typed: string, label: string, more = ''): number {
  const words = normalizeText(typed).split(/\s+/).filter(Boolean);
  const name = normalizeText(label);
  const rest = normalizeText(more);
  let score = 1;
  for (const word of words) {
    const at = name.indexOf(word);
    if (at === 0) score += 8;
    else if (startsWord(name, word)) score += 4;
    else if (at > 0) score += 2;
    else if (rest.includes(word)) score += 1;
    else return 0;
  }
  return score;
}

/** Searchable texts of an entry; `words` are synonyms. */
type Searchable = { label: string; detail?: string | undefined; words?: string };

export const matches = (typed: string, { label, detail = '', words = '' }: Searchable): boolean =>
  scoreOf(typed, label, `${words} ${detail}`) > 0;

/** Sorts by score; ties keep their order. */
export const bestFirst = <Item extends Searchable>(typed: string, items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, score: scoreOf(typed, item.label, `${item.words ?? ''} ${item.detail ?? ''}`) }))
    .toSorted((one, other) => other.score - one.score)
    .map(({ item }) => item);

function startsWord(name: string, word: string): boolean {
  for (let at = name.indexOf(word); at >= 0; at = name.indexOf(word, at + 1))
    if (!/[\p{L}\p{N}]/u.test(name.charAt(at - 1))) return true;
  return false;
}

/** Removes accents and capitals for comparison. */
const normalizeText = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Mn}+/gu, '')
    .toLowerCase()
    .trim();
