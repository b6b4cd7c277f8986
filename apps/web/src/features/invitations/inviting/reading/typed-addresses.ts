/**
 * Reads addresses as people paste them: separated by commas, semicolons, tabs or line breaks, bare or as
 * `Name <address>`, the name in quotes or not. Nothing is dropped in silence: what is no address comes back as an entry
 * too, for the dry run to say so.
 */

/** Somebody to invite, as they were written down; the server says whether it is right. */
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
  return text.split(/\r\n?|\n|\u2028|\u2029/).flatMap((line) => readLine(line));
}

/** Entries as somebody would type them; null when there are too many for that, or more is known than can be typed. */
export function addressesAsText(entries: readonly Entry[]): string | null {
  const typed = entries.map(({ email, name }) => (name ? `${quote(name)} <${email}>` : email)).join('\n');
  const isComplete = JSON.stringify(readTypedAddresses(typed)) === JSON.stringify(entries);
  return entries.length <= 200 && isComplete ? typed : null;
}

function quote(name: string): string {
  return /[",;<>\\]/.test(name) ? `"${name.replaceAll(/["\\]/g, '\\$&')}"` : name;
}

function readLine(line: string): Entry[] {
  const isTable = line.includes('\t');
  const entries: Entry[] = [];
  // What stood before without an @: the first part of `Berg, Anna <anna@example.com>`, or a cell of a table.
  let loose: string[] = [];
  const keepLoose = () => {
    entries.push(...loose.map((email) => ({ email, name: '' })));
    loose = [];
  };
  for (const part of splitParts(line)) {
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

/** Cuts at separators outside of quotes and angle brackets. A quote that is never closed quotes nothing. */
function splitParts(line: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at];
    if (character === '"' && line.slice(start, at).trim() === '') {
      const end = closingQuote(line, at);
      if (end > 0) at = end;
    } else if (character === ',' || character === ';' || character === '\t') {
      parts.push(line.slice(start, at));
      start = at + 1;
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
