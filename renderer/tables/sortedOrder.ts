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
  const digit = (row: number) => (places[row] >>> shift) & (DIGITS - 1)
  for (let start = 0; start < from.length; start += BLOCK_ROWS) {
    const end = Math.min(start + BLOCK_ROWS, from.length)
    for (let at = start; at < end; at += 1) next[digit(from[at])] += 1
    await pace()
  }
  if (next.includes(from.length)) return false
  let sum = 0
  for (let value = 0; value < DIGITS; value += 1) {
    const count = next[value]
    next[value] = sum
    sum += count
  }
  for (let start = 0; start < from.length; start += BLOCK_ROWS) {
    const end = Math.min(start + BLOCK_ROWS, from.length)
    for (let at = start; at < end; at += 1) to[next[digit(from[at])]++] = from[at]
    await pace()
  }
  return true
}

/** Doubles ordered by their bits: negative ones are turned over, positive ones get the sign bit. */
async function numberPlaces(
  { values, valid }: Extract<Column, { values: Float64Array }>,
  descending: boolean,
  pace: Pace,
): Promise<Places> {
  const halves = new Uint32Array(values.buffer, values.byteOffset, values.length * 2)
  const high = new Uint32Array(values.length)
  const low = new Uint32Array(values.length)
  const flip = descending ? MISSING : 0
  for (let start = 0; start < values.length; start += BLOCK_ROWS) {
    const end = Math.min(start + BLOCK_ROWS, values.length)
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
        const turn = (value < 0 ? MISSING : SIGN) ^ flip
        high[row] = halves[2 * row + 1] ^ turn
        low[row] = halves[2 * row] ^ (value < 0 ? MISSING : 0) ^ flip
      }
    }
    await pace()
  }
  return { high, low }
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
