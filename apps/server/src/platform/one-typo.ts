/** Returns whether the texts differ by one letter or by two swapped letters. */
export function isOneTypoFrom(text: string, other: string): boolean {
  if (Math.abs(text.length - other.length) > 1) return false;
  let at = 0;
  while (at < text.length && text[at] === other[at]) at += 1;
  const rest = (of: string, from: number) => of.slice(at + from);
  return (
    rest(text, 1) === rest(other, 1) ||
    rest(text, 1) === rest(other, 0) ||
    rest(text, 0) === rest(other, 1) ||
    (text[at] === other[at + 1] && text[at + 1] === other[at] && rest(text, 2) === rest(other, 2))
  );
}
