import { BLOCK_ROWS, type Pace } from './pace.ts'

const isDigit = (unit: number) => unit >= 48 && unit <= 57

/** Code unit order, the same on every machine, with runs of digits compared as numbers: `BTC-9` before `BTC-10`. */
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

const RUN = 2048

/** The place of every text among all of them; equal texts share one. Merges sorted runs, so that it can pause. */
export async function textRanks(texts: readonly string[], pace: Pace): Promise<Uint32Array> {
  let order = Uint32Array.from(texts, (_, index) => index)
  for (let start = 0; start < order.length; start += RUN) {
    order.subarray(start, start + RUN).sort((a, b) => compareText(texts[a], texts[b]))
    await pace()
  }
  let target = new Uint32Array(order.length)
  for (let width = RUN; width < order.length; width *= 2) {
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
    const takeLeft = right >= end || (left < middle && compareText(texts[from[left]], texts[from[right]]) <= 0)
    to[at] = takeLeft ? from[left++] : from[right++]
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
