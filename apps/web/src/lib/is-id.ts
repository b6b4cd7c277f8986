/** Returns whether an address segment has the form of a UUID. */
export const isId = (word: unknown): word is string =>
  typeof word === 'string' && /^[\da-f-]{36}$/i.test(word);
