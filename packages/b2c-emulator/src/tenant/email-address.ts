/** RFC 5321, section 4.5.3.1. */
export const emailMaximumLength = 254;

/** Whether a text is one plain e-mail address: no quoting, no comments, not too long. */
export function isEmailAddress(text: string): boolean {
  if (text.length > emailMaximumLength) return false;
  return /^[^\s@"<>()[\]\\,;:\p{C}]{1,64}@[^\s@"<>()[\]\\,;:\p{C}.]+(\.[^\s@"<>()[\]\\,;:\p{C}.]+)*$/u.test(
    text,
  );
}

/**
 * The form under which an address is looked up. Only ASCII letters fold: `toLowerCase` would also turn
 * the Kelvin sign (U+212A) into `k` and so make one person's address out of another's.
 */
export function canonicalEmail(email: string): string {
  return email.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
