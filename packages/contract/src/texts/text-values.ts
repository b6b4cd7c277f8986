/** What fills the gaps of a text. Apart from text.ts: the login screen tells texts and says none. */

/** How a language writes what is not a word: a moment, a day, a number of bytes, another number. */
export type ValueWriter = {
  moment: (moment: string) => string;
  day: (moment: string) => string;
  /** The end of a link, with its time and time zone. */
  end: (moment: string) => string;
  size: (bytes: number) => string;
  number: (number: number) => string;
};

const moments = new Set(['time']);
const days = new Set(['day']);
const ends = new Set(['until']);
const sizes = new Set(['size', 'sizeLimit', 'space', 'freeSpace', 'deletedSpace']);

/** The values as they stand in a sentence. What a value is follows from the name of its gap. */
export function formatValues(
  values: Readonly<Record<string, string | number>>,
  write: ValueWriter,
): Record<string, string> {
  const one = (gap: string, value: string | number) => {
    if (moments.has(gap)) return write.moment(String(value));
    if (days.has(gap)) return write.day(String(value));
    if (ends.has(gap)) return write.end(String(value));
    if (sizes.has(gap)) return write.size(Number(value));
    return typeof value === 'number' ? write.number(value) : value;
  };
  return Object.fromEntries(Object.entries(values).map(([gap, value]) => [gap, one(gap, value)]));
}
