/** Map of limited size, for caches. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;

  /** Evicts the entry that was set longest ago when it exceeds `most` entries. */
  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#most) this.delete(this.keys().next().value as Key);
    return this;
  }
}
