/** Returns the text as one line without control characters. Empty if all of it is invisible. */
export function toSingleLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return /[^\s\p{Cf}\u115f\u1160\u3164\uffa0]/u.test(line) ? line : '';
}
