const address = /([^\s<>(),:;]+@[^\s<>(),:;]+)/;

/** Text with e-mail addresses. A line breaks before the domain of an address, and within a part only if the part is too long for a line. */
export function WithAddresses({ text }: { text: string }) {
  return text
    .split(address)
    .map((part, index) => (index % 2 === 0 ? part : <Address key={index} of={part} />));
}

/** Returns the accessible name of a heading. Needed if it contains an address, which consists of several elements. */
export function headingLabel(text: string): { 'aria-label'?: string } {
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
