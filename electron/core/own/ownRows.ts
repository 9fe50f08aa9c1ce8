import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'
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

/** Number of pairs of venue and symbol, each of which the index lists. */
const MOST_OWNERS = 100_000
const FIRST_CHUNK_ROWS = 1024
const MOST_CHUNK_ROWS = 16_384

/** Memory in which rows are collected, and that of the rows which are sorted together. */
export interface RowMemory {
  collectedBytes: number
  sortedBytes: number
}

const usualMemory: RowMemory = { collectedBytes: 192 * 2 ** 20, sortedBytes: 160 * 2 ** 20 }

/** Rows of a month, in the order in which they were read. */
export interface MonthRows {
  rows: number
  timesUs: Float64Array<ArrayBuffer>
  owners: Int32Array<ArrayBuffer>
  labels: Int32Array<ArrayBuffer> | null
  hashes: Float64Array<ArrayBuffer> | null
  columns: Float64Array<ArrayBuffer>[]
}

/** Owners and times whose rows are read together. */
interface MonthPart {
  fromOwner: number
  toOwner: number
  fromUs: number
  toUs: number
  rows: number
}

interface Month {
  name: string
  fromUs: number
  toUs: number
  rowsByOwner: number[]
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
  readonly #monthByDay = new Map<number, Month>()
  readonly #folder: string
  readonly #memory: RowMemory
  readonly #hasLabels: boolean
  readonly #isEvents: boolean
  readonly #ownerBySymbol = new Map<string | null, Map<string | null, number>>()
  readonly #codeByLabel = new Map<string, number>()
  #month: Month | null = null
  #monthFromUs = Infinity
  #monthToUs = -Infinity
  #memoryBytes = 0
  #lastOwner: { exchange: string | null; symbol: string | null; code: number } | null = null

  constructor(
    folder: string,
    { hasLabels, isEvents }: { hasLabels: boolean; isEvents: boolean },
    memory: RowMemory = usualMemory,
  ) {
    this.#memory = memory
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
      if (this.owners.length >= MOST_OWNERS)
        throw new AppError(
          'bad-input',
          `The files have more than ${MOST_OWNERS} symbols. Is the column of symbols one of ids? Name another with --symbol.`,
        )
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
    while (month.rowsByOwner.length <= owner) month.rowsByOwner.push(0)
    month.rowsByOwner[owner]++
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

  /**
   * Reads the rows of a month and forgets them: owner after owner, in parts that have all rows of an owner and time and
   * need little memory; the rows of a part are in the order in which they were read.
   */
  *take(name: string): Generator<MonthRows> {
    const month = this.#months.get(name)!
    const descriptor = month.fileBytes > 0 ? openSync(this.#pathOf(name), 'r') : null
    const chunks = function* (this: OwnRowCollector): Generator<Chunk> {
      for (const stored of [...month.stored, month.open])
        yield 'at' in stored ? this.#readBack(descriptor!, stored) : stored
    }.bind(this)
    try {
      for (const part of this.#partsOfMonth(month, chunks)) yield this.#join(part, chunks())
    } finally {
      if (descriptor !== null) closeSync(descriptor)
      this.#months.delete(name)
      this.#monthByDay.clear()
      this.#month = null
      this.#monthToUs = -Infinity
    }
  }

  /** Divides the rows of a month into parts that need little memory. */
  *#partsOfMonth(month: Month, chunks: () => Iterable<Chunk>): Generator<MonthPart> {
    const bytesPerRow = 12 + (this.#hasLabels ? 4 : 0) + (this.#isEvents ? 8 : 0) + 8 * this.columns.length
    const mostRows = Math.max(1, Math.floor(this.#memory.sortedBytes / bytesPerRow))
    const whole = { fromUs: -Infinity, toUs: Infinity }
    if (month.rows <= mostRows) return yield { fromOwner: 0, toOwner: Infinity, ...whole, rows: month.rows }
    let [fromOwner, rows] = [0, 0]
    for (const [owner, count] of month.rowsByOwner.entries()) {
      if (rows > 0 && rows + count > mostRows) {
        yield { fromOwner, toOwner: owner, ...whole, rows }
        ;[fromOwner, rows] = [owner, 0]
      }
      if (count <= mostRows) rows += count
      else {
        yield* hourlyParts(owner, mostRows, chunks())
        fromOwner = owner + 1
      }
    }
    if (rows > 0) yield { fromOwner, toOwner: Infinity, ...whole, rows }
  }

  #join({ fromOwner, toOwner, fromUs, toUs, rows }: MonthPart, chunks: Iterable<Chunk>): MonthRows {
    const joined: MonthRows = {
      rows,
      timesUs: new Float64Array(rows),
      owners: new Int32Array(rows),
      labels: this.#hasLabels ? new Int32Array(rows) : null,
      hashes: this.#isEvents ? new Float64Array(rows) : null,
      columns: this.columns.map(() => new Float64Array(rows).fill(NaN)),
    }
    const chosen = new Int32Array(MOST_CHUNK_ROWS)
    let row = 0
    for (const chunk of chunks) {
      let count = 0
      for (let at = 0; at < chunk.count; at++) {
        const owner = chunk.owners[at]
        const timeUs = chunk.timesUs[at]
        if (owner >= fromOwner && owner < toOwner && timeUs >= fromUs && timeUs < toUs) chosen[count++] = at
      }
      const take = (to: Float64Array | Int32Array, from: Float64Array | Int32Array) => {
        if (count === chunk.count) to.set(from.subarray(0, count), row)
        else for (let at = 0; at < count; at++) to[row + at] = from[chosen[at]]
      }
      take(joined.timesUs, chunk.timesUs)
      take(joined.owners, chunk.owners)
      if (chunk.labels) take(joined.labels!, chunk.labels)
      if (chunk.hashes) take(joined.hashes!, chunk.hashes)
      chunk.columns.forEach((values, place) => values && take(joined.columns[place], values))
      row += count
    }
    return joined
  }

  #goToMonth(timeUs: number): void {
    const day = Math.floor(timeUs / DAY_US)
    let month = this.#monthByDay.get(day)
    if (!month) this.#monthByDay.set(day, (month = this.#monthOf(timeUs)))
    this.#month = month
    this.#monthFromUs = month.fromUs
    this.#monthToUs = month.toUs
  }

  #monthOf(timeUs: number): Month {
    const date = new Date(Math.floor(timeUs / 1000))
    const [year, monthIndex] = [date.getUTCFullYear(), date.getUTCMonth()]
    const name = date.toISOString().slice(0, -17)
    const known = this.#months.get(name)
    if (known) return known
    const month = {
      ...{ name, rowsByOwner: [], stored: [], rows: 0, fileBytes: 0 },
      fromUs: monthStartMs(year, monthIndex) * 1000,
      toUs: monthStartMs(year, monthIndex + 1) * 1000,
      open: this.#newChunk(FIRST_CHUNK_ROWS),
    }
    this.#months.set(name, month)
    return month
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
    if (this.#memoryBytes > this.#memory.collectedBytes) this.#moveToFiles()
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

const HOUR_US = 3_600_000_000
const DAY_US = 24 * HOUR_US

/** Divides the rows of an owner in a month by the hour of their time. */
function* hourlyParts(owner: number, mostRows: number, chunks: Iterable<Chunk>): Generator<MonthPart> {
  const rowsByHour = new Map<number, number>()
  for (const { count, owners, timesUs } of chunks)
    for (let at = 0; at < count; at++) {
      if (owners[at] !== owner) continue
      const hour = Math.floor(timesUs[at] / HOUR_US)
      rowsByHour.set(hour, (rowsByHour.get(hour) ?? 0) + 1)
    }
  const ofOwner = { fromOwner: owner, toOwner: owner + 1 }
  let [fromUs, rows] = [-Infinity, 0]
  for (const [hour, count] of [...rowsByHour].sort(([a], [b]) => a - b)) {
    if (rows > 0 && rows + count > mostRows) {
      yield { ...ofOwner, fromUs, toUs: hour * HOUR_US, rows }
      ;[fromUs, rows] = [hour * HOUR_US, 0]
    }
    rows += count
  }
  yield { ...ofOwner, fromUs, toUs: Infinity, rows }
}

const partsOf = ({ timesUs, owners, labels, hashes, columns }: Chunk) =>
  [timesUs, owners, labels, hashes, ...columns].filter((part) => part !== null && part !== undefined)

const bytesOf = (chunk: Chunk): number => partsOf(chunk).reduce((sum, { byteLength }) => sum + byteLength, 0)

function monthStartMs(year: number, monthIndex: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, monthIndex, 1)
  return date.getTime()
}
