/** Returns the end of an axis from 0: the smallest of 2, 4, 6, 8, 10 and their multiples by powers of ten that is not below the value. */
export function axisMaximum(value: number): number {
  let unit = 1;
  while (unit * 10 < value) unit *= 10;
  return Math.max(1, Math.ceil(value / (2 * unit))) * 2 * unit;
}
