/** The end of an axis from 0: the least of 2, 4, 6, 8, 10 and their tenfolds that holds the value, so that its half is whole. */
export function axisMaximum(value: number): number {
  let unit = 1;
  while (unit * 10 < value) unit *= 10;
  return Math.max(1, Math.ceil(value / (2 * unit))) * 2 * unit;
}
