import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { OwnOwner } from '#shared/formula/ownData.ts'

/** Rows of one month in the order in which they were read. */
interface Chunk {
  count: number
  timesUs: Float64Array<ArrayBuffer>
  owners: Int32Array<ArrayBuffer>
  labels: Int32Array<ArrayBuffer> | null
  /** What tells rows of events apart; null for regular rows. */
  hashes: Float64Array<ArrayBuffer> | null
  /** Values by column; a column that came later is absent. */
  columns: (Float64Array<ArrayBuffer> | undefined)[]
}

/** Memory of a chunk, or its place in the file of its month. */
type StoredChunk = Chunk | { count: number; at: number; columns: boolean[] }

const FIRST_CHUNK_ROWS = 1024
const MOST_CHUNK_ROWS = 16_384
/** Memory for rows before they are moved to files. */
const MOST_MEMORY_BYTES = 256 * 2 ** 20

/** All rows of a month, in the order in which they were read. */
export interface MonthRows {
  rows: number
  timesUs: Float64Array<ArrayBuffer>
  owners: Int32Array<ArrayBuffer>
  labels: Int32Array<ArrayBuffer> | null
  hashes: Float64Array<ArrayBuffer> | null
  columns: Float64Array<ArrayBuffer>[]
}

interface Month {
  name: string
  stored: StoredChunk[]
  open: Chunk
  rows: number
  fileBytes: number
}

/** Collects rows by month, in memory or, if they are many, in files of a folder. */
export class OwnRowCollector {
  readonly columns: string[] = []
  readonly owners: OwnOwner[] = []
  readonly labels: string[] = []
  rows = 0
  readonly #months = new Map<string, Month>()
  readonly #folder: string
  readonly #hasLabels: boolean
  readonly #isEvents: boolean
  readonly #ownerBySymbol = new Map<string | null, Map<string | null, number>>()
  readonly #codeByLabel = new Map<string, number>()
  #month: Month | null = null
  #monthFromUs = Infinity
  #monthToUs = -Infinity
  #memoryBytes = 0
  #lastOwner: { exchange: string | null; symbol: string | null; code: number } | null = null

  constructor(folder: string, { hasLabels, isEvents }: { hasLabels: boolean; isEvents: boolean }) {
    this.#folder = folder
    this.#hasLabels = hasLabels
    this.#isEvents = isEvents
  }

  columnOf(name: string): number {
    const found = this.columns.findIndex((known) => known.toLowerCase() === name.toLowerCase())
    return found >= 0 ? found : this.columns.push(name) - 1
  }

  ownerOf(exchange: string | null, symbol: string | null): number {
    const last = this.#lastOwner
    if (last && last.exchange === exchange && last.symbol === symbol) return last.code
    let byExchange = this.#ownerBySymbol.get(symbol)
    if (!byExchange) this.#ownerBySymbol.set(symbol, (byExchange = new Map()))
    let code = byExchange.get(exchange)
    if (code === undefined) {
      code = this.owners.push({ exchange, symbol }) - 1
      byExchange.set(exchange, code)
    }
    this.#lastOwner = { exchange, symbol, code }
    return code
  }

  labelOf(text: string): number {
    const known = this.#codeByLabel.get(text)
    if (known !== undefined) return known
    const code = this.labels.push(text) - 1
    this.#codeByLabel.set(text, code)
    return code
  }

  /** Adds a row; its values are `values[i]` for the columns `places[i]`. */
  add(
    timeUs: number,
    owner: number,
    label: number,
    hash: number,
    places: readonly number[],
    values: ArrayLike<number>,
  ): void {
    if (!(timeUs >= this.#monthFromUs && timeUs < this.#monthToUs)) this.#goToMonth(timeUs)
    const month = this.#month!
    let chunk = month.open
    if (chunk.count === chunk.timesUs.length) chunk = this.#grow(month)
    const at = chunk.count++
    chunk.timesUs[at] = timeUs
    chunk.owners[at] = owner
    if (chunk.labels) chunk.labels[at] = label
    if (chunk.hashes) chunk.hashes[at] = hash
    for (let index = 0; index < places.length; index++) {
      const place = places[index]
      const column = (chunk.columns[place] ??= new Float64Array(chunk.timesUs.length).fill(NaN))
      column[at] = values[index]
    }
    month.rows++
    this.rows++
  }

  /** Lists the months that have rows, in order. */
  months(): string[] {
    return [...this.#months.values()]
      .filter(({ rows }) => rows > 0)
      .map(({ name }) => name)
      .sort((a, b) => Number(a.replace(/-(?=\d\d$)/, '')) - Number(b.replace(/-(?=\d\d$)/, '')))
  }

  /** Joins the rows of a month and forgets them. */
  take(name: string): MonthRows {
    const month = this.#months.get(name)!
    const joined: MonthRows = {
      rows: month.rows,
      timesUs: new Float64Array(month.rows),
      owners: new Int32Array(month.rows),
      labels: this.#hasLabels ? new Int32Array(month.rows) : null,
      hashes: this.#isEvents ? new Float64Array(month.rows) : null,
      columns: this.columns.map(() => new Float64Array(month.rows).fill(NaN)),
    }
    const descriptor = month.fileBytes > 0 ? openSync(this.#pathOf(name), 'r') : null
    let row = 0
    for (const stored of [...month.stored, month.open]) {
      const chunk = 'at' in stored ? this.#readBack(descriptor!, stored) : stored
      const rowsOf = <Rows extends Float64Array | Int32Array>(values: Rows) => values.subarray(0, chunk.count)
      joined.timesUs.set(rowsOf(chunk.timesUs), row)
      joined.owners.set(rowsOf(chunk.owners), row)
      if (chunk.labels) joined.labels?.set(rowsOf(chunk.labels), row)
      if (chunk.hashes) joined.hashes?.set(rowsOf(chunk.hashes), row)
      chunk.columns.forEach((values, place) => values && joined.columns[place].set(rowsOf(values), row))
      row += chunk.count
    }
    if (descriptor !== null) closeSync(descriptor)
    this.#months.delete(name)
    this.#month = null
    this.#monthToUs = -Infinity
    return joined
  }

  #goToMonth(timeUs: number): void {
    const date = new Date(Math.floor(timeUs / 1000))
    const [year, monthIndex] = [date.getUTCFullYear(), date.getUTCMonth()]
    const name = date.toISOString().slice(0, -17)
    this.#monthFromUs = monthStartMs(year, monthIndex) * 1000
    this.#monthToUs = monthStartMs(year, monthIndex + 1) * 1000
    const known = this.#months.get(name)
    this.#month = known ?? { name, stored: [], open: this.#newChunk(FIRST_CHUNK_ROWS), rows: 0, fileBytes: 0 }
    if (!known) this.#months.set(name, this.#month)
  }

  #newChunk(rows: number): Chunk {
    return {
      count: 0,
      timesUs: new Float64Array(rows),
      owners: new Int32Array(rows),
      labels: this.#hasLabels ? new Int32Array(rows) : null,
      hashes: this.#isEvents ? new Float64Array(rows) : null,
      columns: [],
    }
  }

  /** Makes room for a row: doubles a short chunk, or begins another one. */
  #grow(month: Month): Chunk {
    const full = month.open
    if (full.timesUs.length < MOST_CHUNK_ROWS) {
      const larger = this.#newChunk(2 * full.timesUs.length)
      larger.count = full.count
      larger.timesUs.set(full.timesUs)
      larger.owners.set(full.owners)
      if (full.labels) larger.labels?.set(full.labels)
      if (full.hashes) larger.hashes?.set(full.hashes)
      full.columns.forEach((values, place) => {
        if (!values) return
        larger.columns[place] = new Float64Array(larger.timesUs.length).fill(NaN)
        larger.columns[place].set(values)
      })
      month.open = larger
      return larger
    }
    month.stored.push(full)
    this.#memoryBytes += bytesOf(full)
    if (this.#memoryBytes > MOST_MEMORY_BYTES) this.#moveToFiles()
    month.open = this.#newChunk(MOST_CHUNK_ROWS)
    return month.open
  }

  #pathOf(month: string): string {
    return join(this.#folder, `${month}.rows`)
  }

  #moveToFiles(): void {
    for (const month of this.#months.values()) {
      if (!month.stored.some((chunk) => !('at' in chunk))) continue
      const descriptor = openSync(this.#pathOf(month.name), 'a', 0o600)
      try {
        month.stored = month.stored.map((chunk) => {
          if ('at' in chunk) return chunk
          const moved = {
            count: chunk.count,
            at: month.fileBytes,
            columns: Array.from(chunk.columns, (each) => each !== undefined),
          }
          for (const part of partsOf(chunk)) {
            const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength)
            for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done)
            month.fileBytes += bytes.length
          }
          return moved
        })
      } finally {
        closeSync(descriptor)
      }
    }
    this.#memoryBytes = 0
  }

  #readBack(descriptor: number, { count, at, columns }: Extract<StoredChunk, { at: number }>): Chunk {
    const chunk = this.#newChunk(MOST_CHUNK_ROWS)
    chunk.count = count
    columns.forEach((has, place) => {
      if (has) chunk.columns[place] = new Float64Array(MOST_CHUNK_ROWS)
    })
    let position = at
    for (const part of partsOf(chunk)) {
      const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength)
      for (let done = 0; done < bytes.length;)
        done += readSync(descriptor, bytes, done, bytes.length - done, position + done)
      position += bytes.length
    }
    return chunk
  }
}

const partsOf = ({ timesUs, owners, labels, hashes, columns }: Chunk) =>
  [timesUs, owners, labels, hashes, ...columns].filter((part) => part !== null && part !== undefined)

const bytesOf = (chunk: Chunk): number => partsOf(chunk).reduce((sum, { byteLength }) => sum + byteLength, 0)

function monthStartMs(year: number, monthIndex: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, monthIndex, 1)
  return date.getTime()
}
