/** Reads vCards (RFC 6350), the only format in which Apple Contacts and iCloud export people. */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { plainList, type List } from './list-columns.ts';

const property = /^(?:[\w-]+\.)?(?<name>FN|N|EMAIL)(?<parameters>(?:;[^:\r\n]*)?):(?<value>.*)$/gim;

/** Returns one recipient for each card with an address, or undefined for other texts. */
export function readVCards(text: string): List | undefined {
  if (!/^\s*BEGIN:VCARD/i.test(text)) return undefined;
  const cards = unfold(text)
    .split(/^BEGIN:VCARD/im)
    .map(readCard)
    .filter(({ emails }) => emails.length > 0);
  return plainList(cards.map(({ emails: [email = ''], name }, at) => ({ email, name, row: at + 1 })));
}

/** Joins continued lines: they start with a blank, or follow an equals sign in quoted-printable values of vCard 2.1. */
const unfold = (text: string) => text.replaceAll(/\r?\n[ \t]/g, '').replaceAll(/=\r?\n(?==)/g, '');

function readCard(card: string): { emails: string[]; name: string } {
  const emails: { value: string; isPreferred: boolean }[] = [];
  let fullName = '';
  let nameParts = '';
  for (const { groups: { name = '', parameters = '', value = '' } = {} } of card.matchAll(property)) {
    const decoded = /quoted-printable/i.test(parameters) ? decodeQuotedPrintable(value) : value;
    const text = decoded.replaceAll(/\\n/gi, ' ').trim();
    if (/^email$/i.test(name)) emails.push({ value: text, isPreferred: /\bpref\b/i.test(parameters) });
    else if (/^fn$/i.test(name)) fullName = unescape(text);
    else {
      const [family = '', given = ''] = text.split(';').map(unescape);
      nameParts = `${given} ${family}`;
    }
  }
  emails.sort((one, other) => Number(other.isPreferred) - Number(one.isPreferred));
  return {
    emails: emails.map(({ value }) => cutText(value.replace(/^mailto:/i, ''), 1_000)).filter(Boolean),
    name: cutText((fullName || nameParts).replaceAll(/\s+/g, ' ').trim(), 1_000),
  };
}

const unescape = (value: string) => value.replaceAll(/\\([,;:\\])/g, '$1');

function decodeQuotedPrintable(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('%', '%25').replaceAll(/=([\dA-F]{2})/gi, '%$1'));
  } catch {
    return value;
  }
}
