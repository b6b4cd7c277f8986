/** Set of change listeners. `watch` fits `useSyncExternalStore`. */
export class Listeners {
  readonly #all = new Set<() => void>();

  /** Returns the function that removes the listener. */
  readonly watch = (listener: () => void): (() => void) => {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  };

  notify(): void {
    for (const listener of this.#all) listener();
  }
}
