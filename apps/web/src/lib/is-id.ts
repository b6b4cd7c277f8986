/** Returns whether an address segment has the form of a UUID. */
export function isId(word: unknown): word is string {
  return typeof word === 'string' && /^[\da-f-]{36}$/i.test(word);
}
