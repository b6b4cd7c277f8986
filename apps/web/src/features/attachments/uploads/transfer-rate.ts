/** What came within this time is what the speed is read from. Milliseconds. */
const window = 5_000;
/** Before that nothing is said: the first bytes fill buffers. */
const least = 800;

/** How fast something goes, over the last seconds. */
export class Pace {
  readonly #notes: { at: number; bytes: number }[] = [];
  #since: number | null = null;

  note(bytes: number): void {
    const at = performance.now();
    this.#since ??= at;
    this.#notes.push({ at, bytes });
    this.#drop(at);
  }

  /** Begins anew, after a standstill that was wanted. */
  reset(): void {
    this.#notes.length = 0;
    this.#since = null;
  }

  /** Null until there is something to go by. */
  bytesPerSecond(): number | null {
    const now = performance.now();
    this.#drop(now);
    if (this.#since === null) return null;
    const span = Math.min(now - this.#since, window);
    if (span < least) return null;
    return (this.#notes.reduce((sum, { bytes }) => sum + bytes, 0) / span) * 1000;
  }

  #drop(now: number): void {
    while (this.#notes[0] && this.#notes[0].at < now - window) this.#notes.shift();
  }
}
