/**
 * Converts what copied lists contain instead of plain addresses: character references and `mailto:` links of HTML and
 * Markdown, full-width characters of Chinese and Japanese keyboards, and `(at)`.
 */

const named = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
  ['szlig', 'ß'],
]);

/** Combining accents, keyed by the end of the name of a character reference: `uml` in `&ouml;`, `acute` in `&eacute;`. */
const accents = new Map([
  ['uml', '\u0308'],
  ['acute', '\u0301'],
  ['grave', '\u0300'],
  ['circ', '\u0302'],
  ['tilde', '\u0303'],
  ['cedil', '\u0327'],
  ['ring', '\u030a'],
  ['caron', '\u030c'],
]);

const reference = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi;

const link =
  /<a\b[^<>]{0,500}?\bhref\s*=\s*["']?mailto:([^"'?<>\s]+)[^<>]{0,500}>([^\r\n]{0,500}?)<\/a\s*>/gi;

/** A link in Markdown, as chat programs copy it: `[Anna](mailto:anna@example.com)`. */
const markdownLink = /\[([^[\]\r\n]{0,500})\]\(mailto:([^()?<>\s]{1,500})[^()\s]{0,500}\)/gi;

/** An address with a full-width @, and possibly other full-width letters, digits and marks. Names in Japanese contain this character, too. */
const fullWidthAddress =
  /(?<![\w.+\-\uff0b\uff0d\uff0e\uff10-\uff19\uff21-\uff3a\uff3f\uff41-\uff5a])[\w.+\-\uff0b\uff0d\uff0e\uff10-\uff19\uff21-\uff3a\uff3f\uff41-\uff5a]{1,64}\uff20[\w.\-\uff0d\uff0e\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]{1,255}/g;

/** The domain of an address that a web page hides from programs, with `(at)` before it, such as ` [at] example [dot] com`. */
const hiddenDomain =
  /(?<=\w) ?[([{] ?at ?[)\]}] ?[\w-]{1,63}(?:(?:\.| ?[([{] ?(?:dot|punkt) ?[)\]}] ?)[\w-]{1,63}){1,9}/gi;
const hiddenAt = / ?[([{] ?at ?[)\]}] ?/i;
const hiddenDot = / ?[([{] ?(?:dot|punkt) ?[)\]}] ?/gi;

/** Returns `Anna <anna@example.com>` for `Anna &lt;anna@example.com&gt;` and links such as `<a href="mailto:anna@example.com">Anna</a>`. */
export function decodeMarkup(text: string): string {
  return text
    .replaceAll(reference, (found: string, decimal?: string, hexadecimal?: string, name = '') => {
      if (name) return characterOf(name) ?? found;
      const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
      return code >= 32 && code <= 0x10ffff ? String.fromCodePoint(code) : found;
    })
    .replaceAll(link, (_, address: string, content: string) => formatLink(address, content))
    .replaceAll(markdownLink, (_, content: string, address: string) => formatLink(address, content))
    .replaceAll(fullWidthAddress, (address) => address.normalize('NFKC'))
    .replaceAll(hiddenDomain, (domain) => domain.replace(hiddenAt, '@').replaceAll(hiddenDot, '.'));
}

function formatLink(address: string, content: string): string {
  const label = content.replaceAll(/<[^<>]*>/g, '').trim();
  return label === address ? `<${address}>` : `${label} <${address}>`;
}

function characterOf(name: string): string | undefined {
  const accent = accents.get(name.slice(1));
  return accent === undefined ? named.get(name) : `${name.slice(0, 1)}${accent}`.normalize('NFC');
}
