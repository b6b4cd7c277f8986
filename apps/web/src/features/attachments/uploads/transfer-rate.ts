/** Period of the moving average, in milliseconds. */
const windowMs = 5_000;
/** Minimum period before a rate is reported, in milliseconds: the first bytes only fill buffers. */
const minimumMs = 800;

/** Moving average of the transfer rate. */
export class TransferRate {
  readonly #samples: { at: number; bytes: number }[] = [];
  #since: number | null = null;

  record(bytes: number): void {
    const at = performance.now();
    this.#since ??= at;
    this.#samples.push({ at, bytes });
    this.#drop(at);
  }

  /** Restarts the measurement, for example after a pause. */
  reset(): void {
    this.#samples.length = 0;
    this.#since = null;
  }

  /** Returns null if there is too little data. */
  bytesPerSecond(): number | null {
    const now = performance.now();
    this.#drop(now);
    if (this.#since === null) return null;
    const span = Math.min(now - this.#since, windowMs);
    if (span < minimumMs) return null;
    return (this.#samples.reduce((sum, { bytes }) => sum + bytes, 0) / span) * 1000;
  }

  #drop(now: number): void {
    while (this.#samples[0] && this.#samples[0].at < now - windowMs) this.#samples.shift();
  }
}
