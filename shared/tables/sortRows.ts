import type { Column } from '../contract/frame.ts'
import { BLOCK_ROWS, type Pace } from './pace.ts'

/** Sort key of each row as an unsigned 64-bit number in two halves; `high` is null if it is all 0. */
interface RowKeys {
  high: Uint32Array | null
  low: Uint32Array
}

const MISSING = 0xffff_ffff
const ALL_BITS = 0xffff_ffff
const NOT_A_NUMBER = 0xffff_fffe
const SIGN = 0x8000_0000

const DIGIT_BITS = 11
const DIGITS = 1 << DIGIT_BITS

/**
 * Sorts the rows of `order`, which is overwritten, by a column. The sort is stable, so several keys are sorted from
 * last to first; it is a radix sort, because that is linear in the rows and can pause anywhere.
 */
export async function sortedBy(
  order: Uint32Array<ArrayBuffer>,
  column: Column,
  descending: boolean,
  pace: Pace,
): Promise<Uint32Array<ArrayBuffer>> {
  const { high, low } =
    column.kind === 'text' ? await textKeys(column, descending, pace) : await numberKeys(column, descending, pace)
  let from = order
  let to = new Uint32Array(order.length)
  for (const half of high ? [low, high] : [low]) {
    for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
      if (await distribute(from, to, half, shift, pace)) [from, to] = [to, from]
    }
  }
  return from
}

/**
 * Distributes rows by one digit.
 * @returns false, without moving rows, if all have the same digit
 */
async function distribute(
  from: Uint32Array,
  to: Uint32Array,
  keys: Uint32Array,
  shift: number,
  pace: Pace,
): Promise<boolean> {
  const next = new Uint32Array(DIGITS)
  for (let start = 0; start < from.length; start += BLOCK_ROWS) {
    countDigits(keys, shift, start, Math.min(start + BLOCK_ROWS, from.length), next)
    await pace()
  }
  if (next.includes(from.length)) return false
  let sum = 0
  for (let digit = 0; digit < DIGITS; digit += 1) {
    const count = next[digit]
    next[digit] = sum
    sum += count
  }
  for (let start = 0; start < from.length; start += BLOCK_ROWS) {
    moveRows(from, to, keys, shift, start, Math.min(start + BLOCK_ROWS, from.length), next)
    await pace()
  }
  return true
}

/** Counts digits in memory order, because counts do not depend on the order of rows. */
function countDigits(keys: Uint32Array, shift: number, start: number, end: number, counts: Uint32Array): void {
  for (let row = start; row < end; row += 1) counts[(keys[row] >>> shift) & (DIGITS - 1)] += 1
}

function moveRows(
  from: Uint32Array,
  to: Uint32Array,
  keys: Uint32Array,
  shift: number,
  start: number,
  end: number,
  next: Uint32Array,
): void {
  for (let at = start; at < end; at += 1) {
    const row = from[at]
    to[next[(keys[row] >>> shift) & (DIGITS - 1)]++] = row
  }
}

type NumericColumn = Extract<Column, { values: Float64Array }>

async function numberKeys(column: NumericColumn, descending: boolean, pace: Pace): Promise<RowKeys> {
  const rows = column.values.length
  const high = new Uint32Array(rows)
  const low = new Uint32Array(rows)
  for (let start = 0; start < rows; start += BLOCK_ROWS) {
    fillNumberKeys(column, descending ? ALL_BITS : 0, start, Math.min(start + BLOCK_ROWS, rows), high, low)
    await pace()
  }
  return { high, low }
}

/**
 * Turns doubles into sortable keys: the bits of negative ones are inverted, the others get the sign bit set; `flip`
 * inverts the order.
 */
function fillNumberKeys(
  { values, valid }: NumericColumn,
  flip: number,
  start: number,
  end: number,
  high: Uint32Array,
  low: Uint32Array,
): void {
  const halves = new Uint32Array(values.buffer, values.byteOffset, values.length * 2)
  for (let row = start; row < end; row += 1) {
    const value = values[row]
    if (valid && !valid[row]) {
      high[row] = MISSING
    } else if (value !== value) {
      high[row] = NOT_A_NUMBER
    } else if (value === 0) {
      high[row] = SIGN ^ flip
      low[row] = flip
    } else {
      high[row] = halves[2 * row + 1] ^ (value < 0 ? ALL_BITS : SIGN) ^ flip
      low[row] = halves[2 * row] ^ (value < 0 ? ALL_BITS : 0) ^ flip
    }
  }
}

async function textKeys(
  { values, valid, dictionary }: Extract<Column, { kind: 'text' }>,
  descending: boolean,
  pace: Pace,
): Promise<RowKeys> {
  const ranks = await ranksFor(dictionary, pace)
  const low = new Uint32Array(values.length)
  const last = dictionary.length
  for (let row = 0; row < values.length; row += 1) {
    const rank = ranks[values[row]]
    low[row] = valid && !valid[row] ? MISSING : descending ? last - rank : rank
  }
  return { high: null, low }
}

/** Cached ranks by dictionary, so that a dictionary is sorted only once. */
const ranksByDictionary = new WeakMap<readonly string[], Uint32Array>()

async function ranksFor(dictionary: readonly string[], pace: Pace): Promise<Uint32Array> {
  const known = ranksByDictionary.get(dictionary)
  if (known) return known
  const ranks = await textRanks(dictionary, pace)
  ranksByDictionary.set(dictionary, ranks)
  return ranks
}

const isDigit = (unit: number) => unit >= 48 && unit <= 57

/** Compares by code units, independent of locale, with digit runs compared as numbers: `BTC-9` before `BTC-10`. */
export function compareText(a: string, b: string): number {
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(j)
    if (isDigit(left) && isDigit(right)) {
      const [endA, endB] = [endOfDigits(a, i), endOfDigits(b, j)]
      const difference = compareDigits(a.slice(i, endA), b.slice(j, endB))
      if (difference !== 0) return difference
      i = endA
      j = endB
    } else if (left !== right) {
      return left - right
    } else {
      i += 1
      j += 1
    }
  }
  return a.length - i - (b.length - j) || compareUnits(a, b)
}

function endOfDigits(text: string, start: number): number {
  let end = start
  while (end < text.length && isDigit(text.charCodeAt(end))) end += 1
  return end
}

function compareDigits(a: string, b: string): number {
  const left = a.replace(/^0+/, '')
  const right = b.replace(/^0+/, '')
  return left.length - right.length || compareUnits(left, right)
}

const compareUnits = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Length of the runs that are sorted in one go before they are merged. */
const RUN_LENGTH = 2048

/** Ranks every text; equal texts share a rank. It merges sorted runs, so that it can pause. */
async function textRanks(texts: readonly string[], pace: Pace): Promise<Uint32Array> {
  let order = Uint32Array.from(texts, (_, index) => index)
  for (let start = 0; start < order.length; start += RUN_LENGTH) {
    order.subarray(start, start + RUN_LENGTH).sort((a, b) => compareText(texts[a], texts[b]))
    await pace()
  }
  let target = new Uint32Array(order.length)
  for (let width = RUN_LENGTH; width < order.length; width *= 2) {
    for (let start = 0; start < order.length; start += 2 * width) {
      await mergeRuns(texts, order, target, start, width, pace)
    }
    ;[order, target] = [target, order]
  }
  return ranksOf(texts, order)
}

async function mergeRuns(
  texts: readonly string[],
  from: Uint32Array,
  to: Uint32Array,
  start: number,
  width: number,
  pace: Pace,
): Promise<void> {
  const middle = Math.min(start + width, from.length)
  const end = Math.min(middle + width, from.length)
  let left = start
  let right = middle
  for (let at = start; at < end; at += 1) {
    const isLeftNext = right >= end || (left < middle && compareText(texts[from[left]], texts[from[right]]) <= 0)
    to[at] = isLeftNext ? from[left++] : from[right++]
    if (at % (BLOCK_ROWS / 16) === 0) await pace()
  }
}

function ranksOf(texts: readonly string[], order: Uint32Array): Uint32Array {
  const ranks = new Uint32Array(order.length)
  let rank = 0
  for (let at = 0; at < order.length; at += 1) {
    if (at > 0 && texts[order[at]] !== texts[order[at - 1]]) rank += 1
    ranks[order[at]] = rank
  }
  return ranks
}
