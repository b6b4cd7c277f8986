/** Hebrew, Arabic, Syriac, Thaana and NKo with their presentation forms, then right-to-left scripts of supplementary planes. */
const letter = String.raw`[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]`;
/** Consecutive right-to-left words, separated by blanks but not by commas. Existing isolates are included. */
const run = new RegExp(
  String.raw`\u2068?(${letter}(?:[\p{M}\u200c\u200d]|[ \u00a0.'’"-]*${letter})*)\u2069?`,
  'gu',
);

/** Puts right-to-left words into Unicode isolates (UAX #9), so that they do not reorder adjacent numbers and punctuation. */
export const isolateRightToLeft = (sentence: string): string => sentence.replaceAll(run, '\u2068$1\u2069');
