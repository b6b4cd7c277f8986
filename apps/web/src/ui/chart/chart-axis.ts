/** Returns the end of an axis that starts at 0: the smallest number not below the value that is 2, 4, 6, 8 or 10 times a power of ten. */
export function axisMaximum(value: number): number {
  let unit = 1;
  while (unit * 10 < value) unit *= 10;
  return Math.max(1, Math.ceil(value / (2 * unit))) * 2 * unit;
}
