/**
 * Whether two addresses look alike to people: the same but for dots before the @ and for characters that are hard to
 * tell apart. Such an address is often a slip of the keyboard, and sometimes an attempt to pass for somebody.
 */
import { domainToUnicode } from 'node:url';

/** Letters of other scripts that look like Latin ones (a choice from Unicode Technical Standard 39). */
const lookalikes = new Map(
  Object.entries({
    a: 'аαɑ',
    b: 'вβß',
    c: 'с',
    d: 'ԁ',
    e: 'еε',
    g: 'ɡ',
    h: 'һн',
    i: 'іιı',
    j: 'ј',
    k: 'кκ',
    l: 'ӏłʟ',
    m: 'м',
    n: 'п',
    o: 'оοø',
    p: 'рρ',
    q: 'ԛ',
    r: 'г',
    s: 'ѕ',
    t: 'тτ',
    u: 'цυ',
    v: 'ѵν',
    w: 'ԝω',
    x: 'хχ',
    y: 'у',
  }).flatMap(([latin, letters]) => Array.from(letters, (letter) => [letter, latin] as const)),
);

/** The text with Latin letters in the place of those that look like them. */
export function asLatin(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\0-\x7f]/g, (letter) => lookalikes.get(letter) ?? letter);
}

/** What addresses that look alike have in common. `emailCanonical` as canonicalEmail() writes it. */
export function skeletonOf(emailCanonical: string): string {
  const [local = '', domain = ''] = emailCanonical.split('@');
  return fold(`${local.replaceAll('.', '')}@${asLatin(domainToUnicode(domain) || domain)}`);
}

/** The same as the function `address_skeleton` in the database, which has the index. */
const fold = (address: string) =>
  address.replaceAll('0', 'o').replaceAll(/[1i]/g, 'l').replaceAll('rn', 'm').replaceAll('vv', 'w');
