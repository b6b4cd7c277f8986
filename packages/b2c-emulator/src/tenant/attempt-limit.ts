const maxKeys = 10_000;

/**
 * Counts attempts per key and says when there were too many. After `most` attempts a key is locked for `lockMilliseconds`; without further attempts the count is
 * forgotten after the same time. Kept in memory, the oldest keys make room for new ones.
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
    /** Counts an attempt before it is made, so that many at once do not slip through; false when the key is locked. */
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

    /** Forgets a key, after it succeeded. */
    clear(key: string): void {
      entries.delete(key);
    },
  };
}
