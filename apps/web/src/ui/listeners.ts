/** Those who want to hear of a change; `watch` is what `useSyncExternalStore` asks for. */
export class Listeners {
  readonly #all = new Set<() => void>();

  /** Calls `listener` at every `tell`; the answer stops that. */
  readonly watch = (listener: () => void): (() => void) => {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  };

  notify(): void {
    for (const listener of this.#all) listener();
  }
}
