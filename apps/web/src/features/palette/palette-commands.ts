/** Splits the typed text into an action and its object. */
import { normalizeText } from './palette-match.ts';

/** Minimum length of a word that matches by its beginning. */
const prefixMinimumLength = 4;

/**
 * Returns the verbs at the start or end of the text, with the remaining text: "revoke paula", "paula, copy link". Prefers those with the
 * most words. A verb alone counts only when followed by a space: it may be the start of a longer one.
 */
export function readVerbs<V extends { label: string }>(
  typed: string,
  verbs: readonly V[],
): { verb: V; rest: string }[] {
  const words = typed.split(/[\s,;]+/).filter(Boolean);
  const named = verbs.map((verb) => ({ verb, names: normalizeText(verb.label).split(/\s+/) }));
  if (named.some(({ names }) => matchNames(words, names)))
    return /\s$/.test(typed)
      ? named.filter(({ names }) => matchAllNames(words, names)).map(({ verb }) => ({ verb, rest: '' }))
      : [];
  const read = named.flatMap(({ verb, names }) => {
    for (let count = Math.min(words.length - 1, names.length); count > 0; count -= 1) {
      if (matchNames(words.slice(0, count), names))
        return [{ verb, count, rest: words.slice(count).join(' ') }];
      if (matchNames(words.slice(-count), names))
        return [{ verb, count, rest: words.slice(0, -count).join(' ') }];
    }
    return [];
  });
  const most = Math.max(...read.map(({ count }) => count));
  return read.filter(({ count }) => count === most).map(({ verb, rest }) => ({ verb, rest }));
}

/** Splits "paula@example.com, cop" at the last comma into an object and a filter for its actions. */
export function readObject(typed: string): { object: string; action: string } | null {
  const at = typed.lastIndexOf(',');
  return at > 0 ? { object: typed.slice(0, at).trim(), action: typed.slice(at + 1).trim() } : null;
}

const matchAllNames = (words: readonly string[], names: readonly string[]) =>
  words.length === names.length && words.every((word, index) => normalizeText(word) === names[index]);

/** Returns whether the words are some of the names, in order. */
function matchNames(words: readonly string[], names: readonly string[]): boolean {
  let next = 0;
  if (words.length === 0) return false;
  return words.every((word) => {
    const text = normalizeText(word);
    const at = names.findIndex(
      (name, index) =>
        index >= next && (name === text || (text.length >= prefixMinimumLength && name.startsWith(text))),
    );
    next = at + 1;
    return at >= 0;
  });
}
