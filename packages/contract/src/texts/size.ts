/** The unit of file sizes, limits and quotas. Server and browser both write sizes with it. */

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Bytes in a kB. The same factor leads from kB to MB, from MB to GB and from GB to TB. */
export const kilobyte = 1024;

/** Bytes in an MB. */
export const megabyte = kilobyte ** 2;

/** The largest unit in which the size is at least 1, and the value rounded to three digits. */
export function sizeInUnit(bytes: number): { value: number; unit: (typeof units)[number] } {
  const step = units.findLastIndex((_, index) => Math.round(bytes) >= kilobyte ** index);
  const value = bytes / kilobyte ** Math.max(step, 0);
  return {
    value: value < 999.5 ? Number(value.toPrecision(3)) : Math.round(value),
    unit: units[step] ?? 'byte',
  };
}
