/** What this browser keeps as JSON. Storage may be forbidden, full, or hold something else: then nothing is kept. */
type Place = 'localStorage' | 'sessionStorage';

/** Null where nothing is kept, or nothing that can be read. */
export function readJson<Value>(place: Place, name: string): Value | null {
  try {
    return JSON.parse(window[place].getItem(name) ?? 'null') as Value | null;
  } catch {
    return null;
  }
}

export function storeJson(place: Place, name: string, value: unknown): void {
  try {
    window[place].setItem(name, JSON.stringify(value));
  } catch {
    // As above.
  }
}
