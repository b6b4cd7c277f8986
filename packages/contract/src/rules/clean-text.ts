/** Texts as they are stored and compared: one spelling for each, without characters that make it look like another. */

/** Characters that turn the writing direction (`exe.gpj` looks like `jpg.exe`), or have no width. */
const invisible =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]/gu;
/** Joiners, where they join nothing: Persian, Indian scripts and emoji need them between their signs. */
const idleJoiners =
  /(?<![^\p{ASCII}\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^\p{ASCII}\u200c\u200d])/gu;

/** The characters that NFC turns into ASCII: the Kelvin sign, the Greek question mark and the Greek varia. */
const exceptToAscii = /[^\u212a\u037e\u1fef]+/gu;

/**
 * Normalises to NFC (Unicode Standard Annex #15). macOS writes `é` in names of files and in exports as `e` and U+0301, which no
 * search for the one character `é` finds. Never makes ASCII of other characters: an address with a Kelvin sign would become
 * the address of another person.
 */
export function normalizeText(text: string): string {
  return text.replaceAll(exceptToAscii, (part) => part.normalize('NFC'));
}

/** Removes invisible characters and normalises. */
export function cleanText(text: string): string {
  return normalizeText(text.replaceAll(invisible, '').replaceAll(idleJoiners, ''));
}

/** Both spellings of a text: NFC, and NFD where it differs. For rows that cannot be normalised, such as sealed ones. */
export function spellingsOf(text: string): string[] {
  return [...new Set([text.normalize('NFC'), text.normalize('NFD')])];
}
