/** Detects addresses that differ only in dots before the @ or in similar characters (typing errors, impersonation). */
import { domainToUnicode } from 'node:url';

/** Characters that look like Latin letters and ASCII punctuation (selected from Unicode Technical Standard 39). */
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
    // Word processors and phones replace apostrophes and hyphens.
    "'": '‘’ʼ',
    '-': '‐–—−',
  }).flatMap(([latin, letters]) => Array.from(letters, (letter) => [letter, latin] as const)),
);

export const toLatin = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\0-\x7f]/g, (letter) => lookalikes.get(letter) ?? letter);

/** Returns the same text for similar addresses. `emailCanonical` is the result of canonicalEmail(). */
export function skeletonOf(emailCanonical: string): string {
  const [local = '', domain = ''] = emailCanonical.split('@');
  return foldSimilarCharacters(`${local.replaceAll('.', '')}@${toLatin(domainToUnicode(domain) || domain)}`);
}

/** Must match the database function `address_skeleton`, whose results are indexed. */
const foldSimilarCharacters = (address: string) =>
  address.replaceAll('0', 'o').replaceAll(/[1i]/g, 'l').replaceAll('rn', 'm').replaceAll('vv', 'w');
