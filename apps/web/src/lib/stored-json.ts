/** JSON in browser storage. Unavailable, full or corrupt storage counts as empty. */
type StorageName = 'localStorage' | 'sessionStorage';

export function readJson<Value>(storage: StorageName, name: string): Value | null {
  try {
    return JSON.parse(window[storage].getItem(name) ?? 'null') as Value | null;
  } catch {
    return null;
  }
}

export function storeJson(storage: StorageName, name: string, value: unknown): void {
  try {
    window[storage].setItem(name, JSON.stringify(value));
  } catch {
    // Storage is unavailable or full.
  }
}
