const maxKeys = 10_000;

/**
 * Limits attempts per key. After `most` attempts a key is locked for `lockMilliseconds`; the count expires
 * after the same time without attempts. Stored in memory; the oldest keys are evicted first.
 */
export function createAttemptLimit(most: number, lockMilliseconds: number, now: () => number) {
  const entries = new Map<string, { count: number; until: number }>();

  const current = (key: string) => {
    const entry = entries.get(key);
    if (entry && entry.until > now()) return entry;
    entries.delete(key);
    return undefined;
  };

  return {
    /**
     * Counts an attempt before it is made, so that concurrent attempts count too. Returns false if the key is
     * locked.
     */
    take(key: string): boolean {
      const count = (current(key)?.count ?? 0) + 1;
      if (count > most) return false;
      entries.delete(key);
      entries.set(key, { count, until: now() + lockMilliseconds });
      if (entries.size > maxKeys) {
        for (const oldest of entries.keys()) {
          entries.delete(oldest);
          break;
        }
      }
      return true;
    },

    /** Resets a key after a successful attempt. */
    clear(key: string): void {
      entries.delete(key);
    },
  };
}
