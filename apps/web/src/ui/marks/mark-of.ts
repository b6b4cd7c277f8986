/** Returns the first letter of a name and a hue derived from the id. */
export function letterMarkOf({ id, name }: { id: string; name: string }): { letter: string; hue: string } {
  let hue = 0;
  for (const character of id) hue = (hue * 31 + (character.codePointAt(0) ?? 0)) % 360;
  return { letter: /\S/u.exec(name)?.[0].toUpperCase() ?? '', hue: String(hue) };
}
