/** Parses pasted or typed addresses, bare or as `Name <address>`. Invalid parts are kept as entries for the review; invisible characters are removed. */
import { cleanText } from '@vestibule/contract/rules/clean-text';
import { closingQuote, isOpeningQuote, unquote as withoutQuotes } from '../../../../lib/tables/quotes.ts';

/** A recipient as written in a list, unvalidated. */
export type Entry = {
  email: string;
  name: string;
  /** `member` or `admin`; other values fail the review. If undefined, the role chosen for all recipients is used. */
  role?: string | undefined;
  /** If undefined, the message for all recipients is used. */
  message?: string | undefined;
  /** Row number in the file, as in a spreadsheet. */
  row?: number | undefined;
};

export function readTypedAddresses(text: string): Entry[] {
  const lines = cleanText(text)
    .replaceAll(fullWidthAt, '@')
    .split(/\r\n?|\n|\u2028|\u2029/)
    .filter((line) => line.trim() !== '' && !headerLine.test(line));
  return readPairs(lines) ?? lines.flatMap((line) => readLine(line));
}

/** Reads names and addresses that alternate, on one line or several, as contact lists are copied. Returns undefined for other texts. */
function readPairs(lines: string[]): Entry[] | undefined {
  const text = lines.join(';');
  if (!/^(?:(?:-@){2,}|(?:@-){2,})$/.test(shapeOf(text))) return undefined;
  const parts = splitParts(text);
  return parts.flatMap((part, at) => (at % 2 === 0 ? readLine(`${part}\t${parts[at + 1]}`) : []));
}

/** Returns whether a line is an address after a name, or before a name of several words. A single word may be a mistyped address. */
export const isNamedAddress = (line: string) =>
  /^(?:-+@|@--)$/.test(shapeOf(line)) ||
  (shapeOf(line) === '@-' && /\S\s+\S/.test(splitParts(line)[1] ?? ''));

/** Returns a character for each part: `@` for a bare address, `-` for a text without dots inside, `?` for others. */
const shapeOf = (line: string) =>
  splitParts(line)
    .map((part) => (/^<?[^\s<>@]+@[^\s<>@]+>?$/.test(part) ? '@' : /@|\S\.\S/.test(part) ? '?' : '-'))
    .join('');

export const formatTyped = ({ email, name }: Pick<Entry, 'email' | 'name'>): string =>
  name ? `${quote(name)} <${email}>` : email;

const quote = (name: string): string =>
  /[",;<>\\]/.test(name) ? `"${name.replaceAll(/["\\]/g, '\\$&')}"` : name;

/** The bullets, check boxes and numbers before an item of a list. `2 Brothers`, `A. Berg` and `v. Berg` are names. */
const markers =
  /^(?:\s*(?:[•·◦‣▪■○●→✓✔☐☑]\s*|[-–—*+](?:\s+|$)|\[[ xX✓✔]?\]\s*|\(?\d{1,4}\)\s*|#?\d{1,4}[.:](?:\s+|$)))+/;

/** Keyboards for Japanese and Chinese type this character. */
const fullWidthAt = /(?<=[\w.+-])＠(?=\w)/g;

/** The label of an address in a copied message or signature. */
const label = /^(?:from|to|cc|bcc|von|an|(?:e-?)?mail)\s*:\s*/i;

/** Other lines of the header of a copied message. */
const headerLine = /^\s*(?:sent|date|subject|gesendet|datum|betreff)\s*:[^@]*$/i;

/** Words between two addresses. */
const connector = /^(?:and|or|und|oder|et|ou)$/i;
const leadingConnector = /^(?:and|or|und|oder|et|ou)\s+/i;

/** An address in brackets at the end of a part, which the first part of `Berg, Anna (anna@example.com)` belongs to. */
const bracketed = /(?:>|[([][^\s()[\]@]+@[^\s()[\]@]+[)\]])$/;

/** A part without letters, such as a telephone number or a date, is no name. */
const hasLetter = (text: string) => /\p{L}/u.test(text);

function readLine(line: string): Entry[] {
  const isTable = line.includes('\t') || isNamedAddress(line);
  const entries: Entry[] = [];
  // Parts without an @, for example the first part of `Berg, Anna <anna@example.com>` or a cell of a table.
  let unmatched: string[] = [];
  const addUnmatched = () => {
    for (const email of unmatched) entries.push({ email, name: '' });
    unmatched = [];
  };
  const parts = splitParts(line)
    .map((part, at) => (at === 0 ? part : part.replace(leadingConnector, '')))
    .map((part) => part.replace(markers, '').replace(label, ''))
    .filter(Boolean);
  // The first cell of a table may be the number of its row.
  if (isTable && parts.length > 1 && !hasLetter(parts[0] ?? '')) parts.shift();
  for (const part of parts) {
    const found = readPart(part);
    const [first] = found;
    if (!first) {
      unmatched.push(unquote(part));
      continue;
    }
    // `anna.example.com` is a typing error, not a name.
    const isName = !unmatched.some((text) => /\S\.\S/.test(text)) && (isTable || bracketed.test(part));
    if (isName) {
      first.name = [...unmatched, first.name].filter(Boolean).join(isTable ? ' ' : ', ');
      unmatched = [];
    }
    addUnmatched();
    entries.push(...found);
  }
  const [only] = entries;
  // In a table, the cells after the address are the name, or further details such as a department.
  if (only && entries.length === 1 && isTable && !unmatched.some((text) => /\S\.\S/.test(text))) {
    only.name ||= unmatched.filter(hasLetter).join(' ');
    unmatched = [];
  }
  addUnmatched();
  return entries;
}

/** Splits at separators outside of quotes, and after an address in angle brackets. An unclosed quote is ignored. */
function splitParts(line: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isOpen = false;
  let isAddress = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at];
    if (isOpeningQuote(character) && line.slice(start, at).trim() === '') {
      const end = closingQuote(line, at);
      if (end > 0) at = end;
    } else if (character !== undefined && ',;\t，；、'.includes(character)) {
      parts.push(line.slice(start, at));
      start = at + 1;
      isOpen = isAddress = false;
    } else if (character === '<') {
      isOpen = true;
      isAddress = false;
    } else if (character === '@') {
      isAddress = isOpen;
    } else if (character === '>' && isAddress) {
      parts.push(line.slice(start, at + 1));
      start = at + 1;
      isOpen = isAddress = false;
    }
  }
  parts.push(line.slice(start));
  return parts.map((part) => part.trim()).filter(Boolean);
}

/** Parses an address, `Name <address>`, or several addresses separated by blanks. */
function readPart(part: string): Entry[] {
  if (!part.includes('@')) return [];
  const bracket = part.endsWith('>') ? part.lastIndexOf('<') : -1;
  if (bracket < 0) return readWords(part);
  const email = bare(part.slice(bracket));
  const name = unquote(part.slice(0, bracket));
  // `Anna @ Example` is a name.
  if (!/\S@\S/.test(name)) return [{ email, name }];
  // The name may be the same address, as in `anna@example.com <mailto:anna@example.com>`, or may be several addresses.
  const others = readWords(name);
  const same = others.find((other) => other.email.toLowerCase() === email.toLowerCase());
  return [...others.filter((other) => other !== same), { email, name: same?.name ?? '' }];
}

function readWords(part: string): Entry[] {
  const { address, comment } = /^(?<address>[^\s@]+@\S+)\s+\((?<comment>[^@()]+)\)$/.exec(part)?.groups ?? {};
  if (address !== undefined) return [{ email: bare(address), name: unquote(comment ?? '') }];
  const words = unquote(part).split(/\s+/);
  const addresses = words.filter((word) => word.includes('@'));
  if (words.every((word) => word.includes('@') || !hasLetter(word) || connector.test(word)))
    return addresses.map((word) => ({ email: bare(word), name: '' }));
  const others = words.filter((word) => !word.includes('@') && /[\p{L}\d]/u.test(word));
  // After the address, a single word or a text with a dot inside may be a mistyped address, and numbers are telephone numbers.
  const isNameAfter =
    words[0] === addresses[0] && others.length > 1 && !others.some((word) => /\S\.\S|^\+?\d{3}/.test(word));
  // `anna @example.com` is an address with a space.
  const isWhole = addresses[0]?.startsWith('@');
  if (addresses.length !== 1 || isWhole || !(isNameAfter || words.at(-1) === addresses[0]))
    return [{ email: unquote(part), name: '' }];
  const name = unquote(others.join(' ')).replaceAll(/^[-–—:|=]+\s+|\s*[-–—:|=]+$/g, '');
  return [{ email: bare(addresses[0] ?? ''), name }];
}

const bare = (address: string): string =>
  address
    .replace(/^[<'"‘“„«([]+/, '')
    .replace(/^(?:mailto|smtp):([^?]*).*$/i, '$1')
    .replace(/[>'"’”“»)\].…!?]+$/, '')
    .trim();

const unquote = (text: string): string => withoutQuotes(text).replaceAll(/\s+/g, ' ').trim();
