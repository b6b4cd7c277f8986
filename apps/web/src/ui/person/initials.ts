/** Returns up to two initials, of the first and last word of a name or the local part of an address. */
export function initialsOf(name: string): string {
  // Digits count only if there are no letters.
  const sign = /\p{L}/u.test(name.split('@')[0] ?? '') ? /\p{L}/u : /\p{N}/u;
  const words = (name.trim().split('@')[0] ?? '').split(/[\s._+-]+/).filter((word) => sign.test(word));
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word = '') => sign.exec(word)?.[0] ?? '',
  );
  return letters.join('').toUpperCase();
}
