/** Characters that have no width or change the writing direction, which makes `exe.gpj` look like `jpg.exe`. */
const invisible =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]/gu;
/**
 * Joiners next to ASCII characters, at the start or end of a text, or repeated. Persian, Indian scripts and emoji need joiners between
 * their characters.
 */
const strayJoiners =
  /(?<![^\p{ASCII}\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^\p{ASCII}\u200c\u200d])/gu;

/**
 * Combining characters after the first 30 in a row, the limit of Unicode Standard Annex #15, "Stream-Safe Text Format". No language needs more,
 * and the time to normalise them grows with the square of their number: 160 kB take 14 seconds.
 */
const excessMarks = /(\p{M}{30})\p{M}+/gu;

/** All characters except those that NFC turns into ASCII: the Kelvin sign, the Greek question mark and the Greek varia. */
const normalizable = /[^\u212a\u037e\u1fef]+/gu;

/**
 * Normalises to NFC (Unicode Standard Annex #15): macOS writes `é` in file names as `e` and U+0301. Leaves characters unchanged that
 * NFC would turn into ASCII, because an address with a Kelvin sign would become the address of another person. Removes excess combining
 * characters.
 */
export const normalizeText = (text: string): string =>
  text.replaceAll(excessMarks, '$1').replaceAll(normalizable, (part) => part.normalize('NFC'));

export const cleanText = (text: string): string =>
  normalizeText(text.replaceAll(invisible, '').replaceAll(strayJoiners, ''));

/** Tabs, non-breaking and repeated spaces become one space: names pasted from documents contain them, but searches do not. */
export const cleanLine = (text: string): string => cleanText(text).replaceAll(/[\t\p{Zs}]+/gu, ' ');

/** Removes invisible characters, which copies from Teams and Outlook contain. Replaces the full-width @ of Chinese and Japanese keyboards. */
export const cleanAddress = (address: string): string => cleanText(address).replace('\uff20', '@');

/** Returns the NFC and the NFD spelling of a text, to find rows that cannot be normalised, such as sealed rows. */
export const getSpellings = (text: string): string[] => [
  ...new Set([text.normalize('NFC'), text.normalize('NFD')]),
];
