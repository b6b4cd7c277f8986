/**
 * Reads addresses as people paste them: separated by commas, semicolons, tabs or line breaks, bare or as
 * `Name <address>`, the name in quotes or not. Nothing is dropped in silence: what is no address comes back as an entry
 * too, for the dry run to say so; what nobody sees, as some programs copy around an address, is no part of it.
 */
import { cleanText } from '@vestibule/contract/rules/clean-text';

/** A person to invite, as written in a list. The server checks it. */
export type Entry = {
  email: string;
  name: string;
  /** `member` or `admin`; anything else is told in the dry run; undefined: as chosen for all. */
  role?: string | undefined;
  /** Undefined: the message for all. */
  message?: string | undefined;
  /** Its row in the file, as a spreadsheet counts them. */
  row?: number | undefined;
};

/** The entries of a text, in its order. */
export function readTypedAddresses(text: string): Entry[] {
  return cleanText(text)
    .split(/\r\n?|\n|\u2028|\u2029/)
    .flatMap((line) => readLine(line));
}

/** The most addresses that are shown one by one; more are a list. */
const mostShown = 200;

/** Whether people can be shown one by one: not too many, and nothing is known that one of them would not show. */
export function areTypeable(entries: readonly Entry[]): boolean {
  return (
    entries.length <= mostShown && entries.every(({ email, role, message }) => email && !role && !message)
  );
}

/** An entry as somebody would type it. */
export function asTyped({ email, name }: Pick<Entry, 'email' | 'name'>): string {
  return name ? `${quote(name)} <${email}>` : email;
}

/** Looked at from the end of a text for what is finished: somebody who types is near it. */
const lookBack = 1_000;

/** What of a text that is being typed is finished, by what follows it: a line break, a separator, a closing bracket. */
export function takeFinished(text: string): { finished: Entry[]; rest: string } {
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
  // `Anna <anna@example.com` goes on.
  if (!/[,;\t ]/.test(end) || /<[^<>]*$/.test(line)) return false;
  const last = readTypedAddresses(line).at(-1)?.email ?? '';
  // `Berg,` may be followed by `Anna <anna@example.com>`; `anna.example.com,` is a slip of the keyboard.
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
    // `anna.example.com` is a slip of the keyboard and not somebody's name.
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

/** Cuts at separators outside of quotes, and after an address in angle brackets. A quote that is never closed quotes nothing. */
function splitParts(line: string): string[] {
  const parts: string[] = [];
  let start = 0;
  // An angle bracket is open, and there is an @ behind it.
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

/** One part between separators: an address, `Name <address>`, several addresses with blanks between; else nothing. */
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
