/** Whether a word of an address can be an id of the server's, a UUID. */
export function isId(word: unknown): word is string {
  return typeof word === 'string' && /^[\da-f-]{36}$/i.test(word);
}
