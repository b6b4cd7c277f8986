const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** In bytes. Each larger unit is this many times the next smaller one. */
export const kilobyte = 1024;

export const megabyte = kilobyte ** 2;

/** Returns the largest unit in which the size is at least 1, and the value rounded to three digits. */
export function sizeInUnit(bytes: number): { value: number; unit: (typeof units)[number] } {
  const step = units.findLastIndex((_, index) => Math.round(bytes) >= kilobyte ** index);
  const value = bytes / kilobyte ** Math.max(step, 0);
  return {
    value: value < 999.5 ? Number(value.toPrecision(3)) : Math.round(value),
    unit: units[step] ?? 'byte',
  };
}
