import { parsePanelNumber } from '#shared/lab/panelCells.ts'
import type { OwnHead } from './ownHead.ts'
import type { OwnRowCollector } from './ownRows.ts'
import type { OwnTimes } from './ownTimes.ts'
import { hashOfBytes } from './rowHash.ts'

const RETURN = 13
const QUOTE = 34
const MINUS = 45
const POINT = 46
const ZERO = 48
/** Number of digits up to which a decimal fraction is the quotient of two exact numbers. */
const MOST_DIGITS = 15
const powersOfTen = Float64Array.from({ length: MOST_DIGITS + 1 }, (_, power) => 10 ** power)

/** What a cell is; a number of 0 or more is the index of a value. */
const [NOTHING, TIME, SYMBOL, EXCHANGE, LABEL] = [-1, -2, -3, -4, -5]

/** What rows are read into. */
interface RowTarget {
  collector: OwnRowCollector
  times: OwnTimes
  isEvents: boolean
  onTime(timeUs: number, line: number): void
}

/**
 * Reads rows of a text file from their bytes, which is several times as fast as from texts, where every cell is plain:
 * no quotes, times written as before, and numbers where values are. All other rows are left to their texts.
 */
export class PlainRows {
  readonly #head: OwnHead
  readonly #separator: number
  readonly #target: RowTarget
  readonly #roles: Int32Array
  readonly #texts = { symbol: new CellTexts(), exchange: new CellTexts(), label: new CellTexts() }
  readonly #owners = new Map<number, number>()
  #places: readonly number[] = []
  /** Number of cells that are values; -1 until they are set. */
  valueCount = -1
  #values = new Float64Array(0)
  /** Where the last number ended. */
  #end = 0

  constructor(head: OwnHead, separator: number, target: RowTarget) {
    this.#head = head
    this.#separator = separator
    this.#target = target
    this.#roles = new Int32Array(head.names.length)
  }

  /** Sets which cells are values, and their columns in the collector. */
  setValues(cells: readonly number[], places: readonly number[]): void {
    const { time, symbol, exchange, label } = this.#head
    this.valueCount = cells.length
    this.#places = [...places]
    this.#values = new Float64Array(cells.length)
    this.#roles.fill(NOTHING)
    cells.forEach((cell, index) => (this.#roles[cell] = index))
    for (const [cell, role] of [
      [time, TIME],
      [symbol, SYMBOL],
      [exchange, EXCHANGE],
      [label, LABEL],
    ])
      if (cell >= 0) this.#roles[cell] = role
  }

  /**
   * Takes the row of the bytes from `from` to `to`, which are one line without its ending.
   * @returns false, having taken nothing, if a cell is not plain
   */
  take(bytes: Buffer, from: number, to: number, line: number): boolean {
    const { collector, times, isEvents, onTime } = this.#target
    const separator = this.#separator
    const last = this.#roles.length - 1
    let timeUs = NaN
    let symbol: CellText | null = null
    let exchange: CellText | null = null
    let label = -1
    let at = from
    for (let cell = 0; cell <= last; cell++) {
      const role = this.#roles[cell]
      let end = at
      if (role >= 0) {
        const value = this.#number(bytes, at, to)
        if (value === null) return false
        this.#values[role] = value
        end = this.#end
      } else {
        for (; end < to && bytes[end] !== separator; end++)
          if (bytes[end] === QUOTE || bytes[end] === RETURN) return false
        if (role === TIME) timeUs = times.readBytes(bytes, at, end)
        else if (role === SYMBOL) symbol = this.#texts.symbol.find(bytes, at, end)
        else if (role === EXCHANGE) exchange = this.#texts.exchange.find(bytes, at, end)
        else if (role === LABEL) label = collector.labelOf(this.#texts.label.find(bytes, at, end).text)
      }
      if (end === to ? cell < last : cell === last) return false
      at = end + 1
    }
    if (Number.isNaN(timeUs) || symbol?.text === '') return false
    const hash = isEvents ? hashOfBytes(bytes, from, to, separator) : 0
    if (hash === null) return false
    onTime(timeUs, line)
    collector.add(timeUs, this.#ownerOf(exchange, symbol), label, hash, this.#places, this.#values)
    return true
  }

  #ownerOf(exchange: CellText | null, symbol: CellText | null): number {
    const key = (symbol?.id ?? -1) * 2 ** 26 + (exchange?.id ?? -1)
    const known = this.#owners.get(key)
    if (known !== undefined) return known
    const owner = this.#target.collector.ownerOf(exchange?.text || null, symbol?.text ?? null)
    if (this.#owners.size < MOST_TEXTS) this.#owners.set(key, owner)
    return owner
  }

  /** Reads a number or an empty cell, and notes where it ends; null if it is neither. */
  #number(bytes: Buffer, from: number, to: number): number | null {
    const isNegative = from < to && bytes[from] === MINUS
    let at = isNegative ? from + 1 : from
    let digits = 0
    let pointAt = -1
    let whole = 0
    for (; at < to; at++) {
      const digit = bytes[at] - ZERO
      if (digit >= 0 && digit <= 9) {
        whole = whole * 10 + digit
        digits++
      } else if (bytes[at] === POINT && pointAt < 0) pointAt = at
      else break
    }
    if ((at < to && bytes[at] !== this.#separator) || digits === 0 || digits > MOST_DIGITS)
      return this.#numberText(bytes, from, at, to)
    this.#end = at
    const size = pointAt < 0 ? whole : whole / powersOfTen[at - pointAt - 1]
    return isNegative ? -size : size
  }

  #numberText(bytes: Buffer, from: number, notBefore: number, to: number): number | null {
    let end = notBefore
    for (; end < to && bytes[end] !== this.#separator; end++)
      if (bytes[end] === QUOTE || bytes[end] === RETURN || bytes[end] > 127) return null
    this.#end = end
    return end === from ? NaN : parsePanelNumber(bytes.toString('latin1', from, end))
  }
}

/** The text of a cell, with the one that came after it last: rows often repeat the order of their symbols. */
interface CellText {
  id: number
  bytes: Buffer
  text: string
  next: CellText | null
}

/** Number of texts that are remembered, and that know the next one. */
const MOST_TEXTS = 131_072

/** Texts of cells by their bytes. */
class CellTexts {
  readonly #byHash = new Map<number, CellText>()
  #count = 0
  #last: CellText | null = null

  find(bytes: Buffer, from: number, to: number): CellText {
    const last = this.#last
    if (last && isAt(last.bytes, bytes, from, to)) return last
    const found = last?.next && isAt(last.next.bytes, bytes, from, to) ? last.next : this.#lookUp(bytes, from, to)
    if (last && found.id < MOST_TEXTS) last.next = found
    this.#last = found
    return found
  }

  #lookUp(bytes: Buffer, from: number, to: number): CellText {
    let hash = to - from
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at], 16_777_619)
    const known = this.#byHash.get(hash)
    if (known && isAt(known.bytes, bytes, from, to)) return known
    const copy = Buffer.from(bytes.subarray(from, to))
    const text: CellText = { id: this.#count++, bytes: copy, text: copy.toString('utf8'), next: null }
    if (this.#byHash.size < MOST_TEXTS) this.#byHash.set(hash, text)
    return text
  }
}

function isAt(known: Buffer, bytes: Buffer, from: number, to: number): boolean {
  if (known.length !== to - from) return false
  for (let at = known.length - 1; at >= 0; at--) if (known[at] !== bytes[from + at]) return false
  return true
}
