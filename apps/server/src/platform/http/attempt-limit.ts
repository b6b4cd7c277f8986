/**
 * Counts failed attempts by key in fixed windows, in the memory of this process. Several processes count each
 * on its own: the limit is then that many times higher, which a guess of 128 bits does not profit from.
 */
export type AttemptLimit = {
  /**
   * Counts an attempt before it is made, so that many at once cannot pass together. Gives 0 when it may be made,
   * and else the seconds until `key` may try again.
   */
  take(key: string): number;
  /** Takes the count of an attempt back: it did not fail. */
  giveBack(key: string): void;
};

/** `maximum` attempts per `windowSeconds` and key. Remembers at most `keys` keys, the oldest go first. */
export function createAttemptLimit(options: {
  maximum: number;
  windowSeconds: number;
  keys?: number;
  now: () => number;
}): AttemptLimit {
  const { maximum, windowSeconds, now, keys = 100_000 } = options;
  const windows = new Map<string, { endsAt: number; attempts: number }>();
  return {
    take(key) {
      const window = windows.get(key);
      if (!window || window.endsAt <= now()) {
        windows.delete(key);
        windows.set(key, { endsAt: now() + windowSeconds * 1000, attempts: 1 });
        if (windows.size > keys) windows.delete(windows.keys().next().value as string);
        return 0;
      }
      if (window.attempts >= maximum) return Math.ceil((window.endsAt - now()) / 1000);
      window.attempts += 1;
      return 0;
    },
    giveBack(key) {
      const window = windows.get(key);
      if (window && window.attempts > 0) window.attempts -= 1;
    },
  };
}
