/** An address in a text. */
const address = /([^\s<>(),:;]+@[^\s<>(),:;]+)/;

/** Addresses in a text: each is broken before its domain, and at a hyphen or between letters only where a part is too long for a line. */
export function WithAddresses({ text }: { text: string }) {
  return text
    .split(address)
    .map((part, index) => (index % 2 === 0 ? part : <Address key={index} of={part} />));
}

/** What names a heading with addresses in it: they are one text, whatever they are broken into. */
export function nameOfHeading(text: string): { 'aria-label'?: string } {
  return address.test(text) ? { 'aria-label': text } : {};
}

export function Address({ of: whole }: { of: string }) {
  const at = Math.max(whole.lastIndexOf('@'), 0);
  return (
    <>
      <span className="address-part">{whole.slice(0, at)}</span>
      <span className="address-part">{whole.slice(at)}</span>
    </>
  );
}
