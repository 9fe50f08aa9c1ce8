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
    return finished(this.#high, this.#low)
  }
}

function finished(first: number, second: number): number {
  const high = Math.imul(first ^ (first >>> 16), 2246822507) ^ Math.imul(second ^ (second >>> 13), 3266489909)
  const low = Math.imul(second ^ (second >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return 2 ** 20 * (low >>> 0) + (high >>> 12)
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

/** Hashes of rows that come column by column, in numbers and texts. */
export class ColumnHashes {
  readonly #highs: Int32Array
  readonly #lows: Int32Array

  constructor(rows: number) {
    this.#highs = new Int32Array(rows).fill(0xdeadbeef)
    this.#lows = new Int32Array(rows).fill(0x41c6ce57)
  }

  addNumbers(values: Float64Array<ArrayBuffer>): void {
    const halves = new Int32Array(values.buffer, values.byteOffset, 2 * values.length)
    for (let row = 0; row < values.length; row++) this.#add(row, halves[2 * row], halves[2 * row + 1])
  }

  /** @param codes indexes of texts; below 0 where there is none */
  addTexts(codes: Int32Array, texts: readonly string[]): void {
    const halves = Int32Array.from(texts.flatMap((text) => halvesOf(hashOfCells([text]))))
    for (let row = 0; row < codes.length; row++) {
      const at = 2 * codes[row]
      if (at < 0) this.#add(row, -1, -1)
      else this.#add(row, halves[at], halves[at + 1])
    }
  }

  values(): Float64Array {
    return Float64Array.from(this.#highs, (high, row) => finished(high, this.#lows[row]))
  }

  #add(row: number, first: number, second: number): void {
    this.#highs[row] = stirred(stirred(this.#highs[row], first), second)
    this.#lows[row] = stirred(stirred(this.#lows[row], second), first)
  }
}

const halvesOf = (hash: number): [number, number] => [hash | 0, Math.floor(hash / 2 ** 32)]

/** Mixes all bits of a number into all bits of a hash. */
function stirred(hash: number, code: number): number {
  const spread = Math.imul(code, 0xcc9e2d51)
  const mixed = hash ^ Math.imul((spread << 15) | (spread >>> 17), 0x1b873593)
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0
}
