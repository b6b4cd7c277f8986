/** RFC 5321, section 4.5.3.1. */
export const emailMaximumLength = 254;

/** Returns whether a text is one plain e-mail address, without quoting or comments. */
export function isEmailAddress(text: string): boolean {
  if (text.length > emailMaximumLength) return false;
  return /^[^\s@"<>()[\]\\,;:\p{C}]{1,64}@[^\s@"<>()[\]\\,;:\p{C}.]+(\.[^\s@"<>()[\]\\,;:\p{C}.]+)*$/u.test(
    text,
  );
}

/**
 * Returns the lookup key of an address. Only ASCII letters are lower-cased: `toLowerCase` would map the
 * Kelvin sign (U+212A) to `k` and so match another user's address.
 */
export function canonicalEmail(email: string): string {
  return email.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
