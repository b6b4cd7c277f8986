/** Short codes of mailed links, and how they are read from an address that was pasted with the text around it. */

/** Base58: no 0, O, I or l, which are easily confused. */
export const linkCodeAlphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** 58^22 is more than 2^128. */
export const linkCodeLength = 22;

/** The alphabet and the length, written out: the login page loads this. */
const surrounded = /^[^0-9A-Za-z]*([1-9A-HJ-NP-Za-km-z]{22})(?![0-9A-Za-z])/;

/**
 * Returns the code at the start of a text, without the punctuation, encoded quotation marks or invisible characters around it,
 * such as `CODE.`, `CODE>` or `CODE%3E`. A text that does not start with exactly one code is returned trimmed.
 */
export const readLinkCode = (text: string): string => surrounded.exec(text)?.[1] ?? text.trim();

/** Removes what can follow an e-mail address in a text, such as `>` or a full stop. */
export const readLinkAddress = (text: string): string => text.replace(/[^\p{L}\p{N}]+$/u, '').trim();
