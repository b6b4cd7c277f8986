/** Caches metadata and keys of an identity provider. An outage of the provider does not affect what is cached. */

/** Age after which metadata and keys are fetched again in the background, so that withdrawn keys are no longer accepted. */
const refreshMs = 10 * 60_000;
/** Minimum time between fetches because of keys that do not verify a token. */
const renewalIntervalMs = 5_000;
/** Delay between failed fetches, doubled each time, while nothing is cached. */
const backOffMs = { first: 500, last: 5_000 };

export function cacheMetadata<Metadata>(fetchMetadata: () => Promise<Metadata>, now: () => number) {
  let cached: Metadata | undefined;
  let pending: Promise<Metadata> | undefined;
  let requestedAt = Number.NEGATIVE_INFINITY;
  let waitMs = 0;
  let lastError: unknown;

  async function fetchOnce(): Promise<Metadata> {
    requestedAt = now();
    try {
      cached = await fetchMetadata();
      waitMs = 0;
      return cached;
    } catch (error) {
      lastError = error;
      waitMs = Math.min(backOffMs.last, Math.max(backOffMs.first, waitMs * 2));
      throw error;
    }
  }

  /** Concurrent callers share one request. */
  const refresh = () => (pending ??= fetchOnce().finally(() => (pending = undefined)));

  return {
    /** Throws the error of the last fetch if nothing is cached yet. */
    async get(): Promise<Metadata> {
      if (cached) {
        if (now() - requestedAt >= refreshMs) refresh().catch(() => {});
        return cached;
      }
      if (!pending && now() - requestedAt < waitMs) throw lastError;
      return refresh();
    },

    /** Returns newly fetched metadata; null if the fetch fails or the last one was less than 5 seconds ago. */
    async renew(): Promise<Metadata | null> {
      if (!pending && now() - requestedAt < renewalIntervalMs) return null;
      return refresh().catch(() => null);
    },
  };
}
