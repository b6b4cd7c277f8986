/**
 * Whether two addresses look alike to people: the same but for dots before the @ and for characters that are hard to
 * tell apart. Such an address is often a slip of the keyboard, and sometimes an attempt to pass for somebody.
 */
import { domainToUnicode } from 'node:url';

/** Letters of other scripts that look like Latin ones (a choice from Unicode Technical Standard 39). */
const lookalikes: Record<string, string> = {
  ...{
    а: 'a',
    с: 'c',
    ԁ: 'd',
    е: 'e',
    һ: 'h',
    і: 'i',
    ј: 'j',
    ӏ: 'l',
    м: 'm',
    о: 'o',
    р: 'p',
    ԛ: 'q',
    ѕ: 's',
  },
  ...{ т: 't', ц: 'u', ѵ: 'v', ԝ: 'w', х: 'x', у: 'y', к: 'k', в: 'b', н: 'h', г: 'r' },
  ...{ α: 'a', β: 'b', ε: 'e', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x', ω: 'w' },
  ...{ ı: 'i', ł: 'l', ø: 'o', ß: 'b', ʟ: 'l', ɡ: 'g', ɑ: 'a' },
};

/** The text with Latin letters in the place of those that look like them. */
export function asLatin(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\0-\x7f]/g, (letter) => lookalikes[letter] ?? letter);
}

/** What addresses that look alike have in common. `emailCanonical` as canonicalEmail() writes it. */
export function skeletonOf(emailCanonical: string): string {
  const [local = '', domain = ''] = emailCanonical.split('@');
  return fold(`${local.replaceAll('.', '')}@${asLatin(domainToUnicode(domain) || domain)}`);
}

/** The same as the function `address_skeleton` in the database, which has the index. */
const fold = (address: string) =>
  address.replaceAll('0', 'o').replaceAll(/[1i]/g, 'l').replaceAll('rn', 'm').replaceAll('vv', 'w');
