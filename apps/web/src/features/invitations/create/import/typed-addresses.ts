/** Parses pasted or typed addresses, bare or as `Name <address>`. Invalid parts are kept as entries for the review; invisible characters are removed. */
import { cleanText } from '@vestibule/contract/rules/clean-text';

/** A recipient as written in a list, unvalidated. */
export type Entry = {
  email: string;
  name: string;
  /** `member` or `admin`; other values fail the review. Undefined: the role chosen for all. */
  role?: string | undefined;
  /** Undefined: the message for all. */
  message?: string | undefined;
  /** Row number in the file, as in a spreadsheet. */
  row?: number | undefined;
};

export function readTypedAddresses(text: string): Entry[] {
  return cleanText(text)
    .split(/\r\n?|\n|\u2028|\u2029/)
    .flatMap((line) => readLine(line));
}

/** Maximum number of chips; longer input is shown as a list. */
const fieldMaximum = 200;

/** Returns whether chips can represent the entries without losing data. */
export function fitInField(entries: readonly Entry[]): boolean {
  return (
    entries.length <= fieldMaximum && entries.every(({ email, role, message }) => email && !role && !message)
  );
}

/** Formats an entry as typed text. */
export function formatTyped({ email, name }: Pick<Entry, 'email' | 'name'>): string {
  return name ? `${quote(name)} <${email}>` : email;
}

/** Number of characters at the end of the text in which the end of finished input is searched. */
const lookBack = 1_000;

/** Splits text at the end of finished input: a line break, separator or closing bracket. */
export function splitFinished(text: string): { finished: Entry[]; rest: string } {
  for (let end = text.length; end > Math.max(0, text.length - lookBack); end -= 1) {
    const head = text.slice(0, end);
    if (isFinished(head))
      return { finished: readTypedAddresses(head), rest: withoutSeparators(text.slice(end)) };
  }
  return { finished: [], rest: withoutSeparators(text) };
}

function withoutSeparators(text: string): string {
  return text.replace(/^[\s,;]+/, '');
}

function isFinished(head: string): boolean {
  const end = head.at(-1) ?? '';
  if (end === '\n') return true;
  const line = head.slice(head.lastIndexOf('\n') + 1);
  if (end === '>') return /<[^<>]*@[^<>]*>$/.test(line);
  // `Anna <anna@example.com` is incomplete.
  if (!/[,;\t ]/.test(end) || /<[^<>]*$/.test(line)) return false;
  const last = readTypedAddresses(line).at(-1)?.email ?? '';
  // `Berg,` may be followed by `Anna <anna@example.com>`; `anna.example.com,` is a typing error.
  return end === ' ' ? /\S@\S+ $/.test(line) : /@|^\S+\.\S+$/.test(last);
}

function quote(name: string): string {
  return /[",;<>\\]/.test(name) ? `"${name.replaceAll(/["\\]/g, '\\$&')}"` : name;
}

/** The bullet or number before an item of a list. */
const bullet = /^\s*(?:[•·◦▪‣]\s*|[-–—*]\s+|\d{1,4}[.)]\s+)/;

function readLine(line: string): Entry[] {
  const isTable = line.includes('\t');
  const entries: Entry[] = [];
  // Parts without an @: the first part of `Berg, Anna <anna@example.com>`, or a cell of a table.
  let loose: string[] = [];
  const keepLoose = () => {
    entries.push(...loose.map((email) => ({ email, name: '' })));
    loose = [];
  };
  const parts = splitParts(line.replace(bullet, ''));
  // The first cell of a table may be the number of its row.
  if (isTable && parts.length > 1 && /^(?:\d+[.)]?|[-–—*•])$/.test(parts[0] ?? '')) parts.shift();
  for (const part of parts) {
    const found = readPart(part);
    const [first] = found;
    if (!first) {
      loose.push(unquote(part));
      continue;
    }
    // `anna.example.com` is a typing error, not a name.
    const isName = !loose.some((text) => /\S\.\S/.test(text)) && (isTable || part.endsWith('>'));
    if (isName) {
      first.name = [...loose, first.name].filter(Boolean).join(isTable ? ' ' : ', ');
      loose = [];
    }
    keepLoose();
    entries.push(...found);
  }
  const [only] = entries;
  // The cell after the address is its name, in a table of two columns.
  if (only && entries.length === 1 && only.name === '' && isTable) {
    only.name = loose.join(' ');
    loose = [];
  }
  keepLoose();
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
    if (character === '"' && line.slice(start, at).trim() === '') {
      const end = closingQuote(line, at);
      if (end > 0) at = end;
    } else if (character === ',' || character === ';' || character === '\t') {
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

function closingQuote(line: string, open: number): number {
  for (let at = open + 1; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === '"') return at;
  }
  return -1;
}

/** Parses an address, `Name <address>`, or several addresses separated by blanks. */
function readPart(part: string): Entry[] {
  if (!part.includes('@')) return [];
  const bracket = part.endsWith('>') ? part.lastIndexOf('<') : -1;
  if (bracket >= 0) return [{ email: bare(part.slice(bracket)), name: unquote(part.slice(0, bracket)) }];
  const words = unquote(part).split(/\s+/);
  if (words.every((word) => word.includes('@')))
    return words.map((word) => ({ email: bare(word), name: '' }));
  const last = words.at(-1) ?? '';
  const isNamed = last.includes('@') && words.filter((word) => word.includes('@')).length === 1;
  return isNamed
    ? [{ email: bare(last), name: words.slice(0, -1).join(' ') }]
    : [{ email: unquote(part), name: '' }];
}

function bare(address: string): string {
  return address
    .replace(/^mailto:/i, '')
    .replace(/^[<'"(]+|[>'")]+$/g, '')
    .trim();
}

function unquote(text: string): string {
  const quoted = /^"(.*)"$/s.exec(text.trim())?.[1];
  return (quoted === undefined ? text : quoted.replaceAll(/\\(.)/g, '$1')).replaceAll(/\s+/g, ' ').trim();
}
