/** Numbers that tell whole rows apart, as far as 52 bits can; rows of events have no other key. */

const CELL_END = 0x1ffff

class RowHash {
  #high = 0xdeadbeef
  #low = 0x41c6ce57

  mix(code: number): void {
    this.#high = Math.imul(this.#high ^ code, 2654435761)
    this.#low = Math.imul(this.#low ^ code, 1597334677)
  }

  get value(): number {
    const [first, second] = [this.#high, this.#low]
    const high = Math.imul(first ^ (first >>> 16), 2246822507) ^ Math.imul(second ^ (second >>> 13), 3266489909)
    const low = Math.imul(second ^ (second >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
    return 2 ** 20 * (low >>> 0) + (high >>> 12)
  }
}

export function hashOfCells(cells: readonly string[]): number {
  const hash = new RowHash()
  for (const cell of cells) {
    for (let at = 0; at < cell.length; at++) hash.mix(cell.charCodeAt(at))
    hash.mix(CELL_END)
  }
  return hash.value
}

/** Computes from bytes what `hashOfCells` does from the cells that they are; null if they are not all ASCII. */
export function hashOfBytes(bytes: Uint8Array, from: number, to: number, separator: number): number | null {
  const hash = new RowHash()
  for (let at = from; at < to; at++) {
    if (bytes[at] > 127) return null
    hash.mix(bytes[at] === separator ? CELL_END : bytes[at])
  }
  hash.mix(CELL_END)
  return hash.value
}
