/** Up to two letters that stand for a person: of the first and the last word of a name, or of an address before its `@`. */
export function initialsOf(name: string): string {
  // A number says who somebody is only where nothing else does.
  const sign = /\p{L}/u.test(name.split('@')[0] ?? '') ? /\p{L}/u : /\p{N}/u;
  const words = (name.trim().split('@')[0] ?? '').split(/[\s._+-]+/).filter((word) => sign.test(word));
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word = '') => sign.exec(word)?.[0] ?? '',
  );
  return letters.join('').toUpperCase();
}
