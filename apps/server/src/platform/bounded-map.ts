/** A map that forgets: for what is remembered only to be quicker. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;

  /** Of more than `most` entries, the one that was set longest ago goes. */
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
