/**
 * Counts failed attempts by key in fixed windows, in the memory of this process. Several processes count each
 * on its own: the limit is then that many times higher, which a guess of 128 bits does not profit from.
 */
export type AttemptLimit = {
  /** Seconds until `key` may try again; 0 when it may now. */
  waitSeconds(key: string): number;
  /** Counts one failed attempt. */
  count(key: string): void;
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
    waitSeconds(key) {
      const window = windows.get(key);
      if (!window || window.endsAt <= now() || window.attempts < maximum) return 0;
      return Math.ceil((window.endsAt - now()) / 1000);
    },
    count(key) {
      const window = windows.get(key);
      if (window && window.endsAt > now()) {
        window.attempts += 1;
        return;
      }
      windows.delete(key);
      windows.set(key, { endsAt: now() + windowSeconds * 1000, attempts: 1 });
      if (windows.size > keys) windows.delete(windows.keys().next().value as string);
    },
  };
}
