/** Where somebody last went by the palette, in this browser until they sign out. */

/** A place of this site, as the router takes it. */
export type Target = { to: string; params?: Record<string, string>; search?: Record<string, unknown> };

/** A place with the words it was found under. */
export type Place = { id: string; label: string; detail?: string | undefined; target: Target };

const key = 'recentChoices';
const kept = 5;

/** The latest first; none where nothing can be read. */
export function readRecent(): Place[] {
  try {
    const places: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(places) ? places.filter(isPlace) : [];
  } catch {
    return [];
  }
}

/** Puts a place to the front. */
export function keepRecent({ id, label, detail, target }: Place): void {
  const others = readRecent().filter((place) => place.id !== id);
  const places = [{ id, label, detail, target }, ...others].slice(0, kept);
  try {
    localStorage.setItem(key, JSON.stringify(places));
  } catch {
    // A full storage is no reason not to go there.
  }
}

function isPlace(value: unknown): value is Place {
  const { id, label, target } = (value ?? {}) as Partial<Place>;
  return typeof id === 'string' && typeof label === 'string' && typeof target?.to === 'string';
}
