/** Base58: letters and digits without 0, O, I and l, which are easily confused. */
export const linkCodeAlphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** 22 characters have more than 2^128 values (58^22). */
export const linkCodeLength = 22;

/** Contains the alphabet and the length as literals to keep the login page small. */
const codePattern = /^[^0-9A-Za-z]*(?:3D)?([1-9A-HJ-NP-Za-km-z]{22})(?![0-9A-Za-z])/;

/**
 * Returns the code at the start of a text, without the punctuation, encoded quotation marks or invisible characters around it,
 * such as `CODE.`, `CODE>` or `CODE%3E`. `3D` before it is an equals sign whose quoted-printable encoding (RFC 2045) was not removed. A text that does not start with exactly one code is returned trimmed.
 */
export const readLinkCode = (text: string): string => codePattern.exec(text)?.[1] ?? text.trim();

/** Removes what can follow an e-mail address in a text, such as `>` or a full stop. */
export const readLinkAddress = (text: string): string => text.replace(/[^\p{L}\p{N}]+$/u, '').trim();
