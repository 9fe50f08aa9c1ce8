import type { Column } from '#shared/contract/frame.ts'
import { BLOCK_ROWS, type Pace } from './pace.ts'
import { textRanks } from './textOrder.ts'

/** One unsigned number of 64 bits a row, in two halves: the smaller, the earlier. `high` is null where it is all 0. */
interface Places {
  high: Uint32Array | null
  low: Uint32Array
}

const MISSING = 0xffff_ffff
const NOT_A_NUMBER = 0xffff_fffe
const SIGN = 0x8000_0000

const DIGIT_BITS = 11
const DIGITS = 1 << DIGIT_BITS

/**
 * The rows of `order`, which is used up, sorted by a column; equal rows keep their order, so that several keys are sorted from the last to
 * the first. A radix sort: its time grows with the rows alone and it can pause anywhere.
 */
export async function sortedBy(
  order: Uint32Array<ArrayBuffer>,
  column: Column,
  descending: boolean,
  pace: Pace,
): Promise<Uint32Array<ArrayBuffer>> {
  const { high, low } =
    column.kind === 'text' ? await textPlaces(column, descending, pace) : await numberPlaces(column, descending, pace)
  let from = order
  let to = new Uint32Array(order.length)
  for (const half of high ? [low, high] : [low]) {
    for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
      if (await spread(from, to, half, shift, pace)) [from, to] = [to, from]
    }
  }
  return from
}

/** Moves rows into the order of one digit. @returns false, and moves nothing, where all rows have the same digit */
async function spread(
  from: Uint32Array,
  to: Uint32Array,
  places: Uint32Array,
  shift: number,
  pace: Pace,
): Promise<boolean> {
  const next = new Uint32Array(DIGITS)
  for (let start = 0; start < from.length; start += BLOCK_ROWS) {
    countDigits(places, shift, start, Math.min(start + BLOCK_ROWS, from.length), next)
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
    moveRows(from, to, places, shift, start, Math.min(start + BLOCK_ROWS, from.length), next)
    await pace()
  }
  return true
}

/** The digits of all rows are the same whatever their order: counted in the order they lie in memory. */
function countDigits(places: Uint32Array, shift: number, start: number, end: number, counts: Uint32Array): void {
  for (let row = start; row < end; row += 1) counts[(places[row] >>> shift) & (DIGITS - 1)] += 1
}

function moveRows(
  from: Uint32Array,
  to: Uint32Array,
  places: Uint32Array,
  shift: number,
  start: number,
  end: number,
  next: Uint32Array,
): void {
  for (let at = start; at < end; at += 1) {
    const row = from[at]
    to[next[(places[row] >>> shift) & (DIGITS - 1)]++] = row
  }
}

type Numbers = Extract<Column, { values: Float64Array }>

async function numberPlaces(column: Numbers, descending: boolean, pace: Pace): Promise<Places> {
  const rows = column.values.length
  const high = new Uint32Array(rows)
  const low = new Uint32Array(rows)
  for (let start = 0; start < rows; start += BLOCK_ROWS) {
    placeNumbers(column, descending ? MISSING : 0, start, Math.min(start + BLOCK_ROWS, rows), high, low)
    await pace()
  }
  return { high, low }
}

/** Doubles are ordered by their bits once the negative ones are turned over and the others have the sign bit set. */
function placeNumbers(
  { values, valid }: Numbers,
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
      high[row] = halves[2 * row + 1] ^ (value < 0 ? MISSING : SIGN) ^ flip
      low[row] = halves[2 * row] ^ (value < 0 ? MISSING : 0) ^ flip
    }
  }
}

async function textPlaces(
  { values, valid, dictionary }: Extract<Column, { kind: 'text' }>,
  descending: boolean,
  pace: Pace,
): Promise<Places> {
  const ranks = await ranksFor(dictionary, pace)
  const low = new Uint32Array(values.length)
  const last = dictionary.length
  for (let row = 0; row < values.length; row += 1) {
    const rank = ranks[values[row]]
    low[row] = valid && !valid[row] ? MISSING : descending ? last - rank : rank
  }
  return { high: null, low }
}

/** A dictionary is sorted once, however often its column is. */
const knownRanks = new WeakMap<readonly string[], Uint32Array>()

async function ranksFor(dictionary: readonly string[], pace: Pace): Promise<Uint32Array> {
  const known = knownRanks.get(dictionary)
  if (known) return known
  const ranks = await textRanks(dictionary, pace)
  knownRanks.set(dictionary, ranks)
  return ranks
}
