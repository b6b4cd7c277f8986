/**
 * Returns only the letters of a text, in lower case and without accents, so that `E-Mail Adresse` and `email-adresse` are the same title.
 */
export function plain(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replaceAll(/[^a-z]/g, '');
}
