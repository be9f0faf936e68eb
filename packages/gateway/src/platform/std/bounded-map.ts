/** A map of so many entries and no more: what was set longest ago makes room. Set again after a delete, an entry is the newest. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: Key, value: Value): this {
    super.set(key, value);
    if (this.size > this.#max) this.#dropOldest();
    return this;
  }

  #dropOldest(): void {
    for (const oldest of this.keys()) {
      this.delete(oldest);
      return;
    }
  }
}
