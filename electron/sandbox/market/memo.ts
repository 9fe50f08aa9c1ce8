/** Caches the `limit` most recently used results of `make`, so that memory stays bounded. */
export class Memo<K, V> {
  readonly #entries = new Map<K, V>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  has(key: K): boolean {
    return this.#entries.has(key)
  }

  get(key: K, make: () => V): V {
    const cached = this.#entries.get(key)
    if (cached !== undefined) {
      this.#entries.delete(key)
      this.#entries.set(key, cached)
      return cached
    }
    const made = make()
    this.#entries.set(key, made)
    if (this.#entries.size > this.#limit) {
      const leastRecent = this.#entries.keys().next()
      if (!leastRecent.done) this.#entries.delete(leastRecent.value)
    }
    return made
  }
}
