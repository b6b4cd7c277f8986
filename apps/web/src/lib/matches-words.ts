/** Returns whether a text contains every typed word. Ignores capitals. */
export function matchesWords(typed: string, text: string): boolean {
  const lower = text.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
