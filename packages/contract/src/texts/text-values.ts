/** Formatting of the values in messages. Separate from text.ts, because the login screen formats messages and creates none. */

export type ValueFormatter = {
  moment: (moment: string) => string;
  day: (moment: string) => string;
  /** Expiry of a link, with time and time zone. */
  end: (moment: string) => string;
  size: (bytes: number) => string;
  number: (number: number) => string;
};

const moments = new Set(['time']);
const days = new Set(['day']);
const ends = new Set(['until']);
const sizes = new Set(['size', 'sizeLimit', 'space', 'freeSpace', 'deletedSpace']);

/** Formats the values of a message. The name of a placeholder determines how its value is formatted. */
export function formatValues(
  values: Readonly<Record<string, string | number>>,
  formatter: ValueFormatter,
): Record<string, string> {
  const formatValue = (name: string, value: string | number) => {
    if (moments.has(name)) return formatter.moment(String(value));
    if (days.has(name)) return formatter.day(String(value));
    if (ends.has(name)) return formatter.end(String(value));
    if (sizes.has(name)) return formatter.size(Number(value));
    return typeof value === 'number' ? formatter.number(value) : value;
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, formatValue(name, value)]));
}
