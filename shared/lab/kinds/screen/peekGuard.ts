import { type StudyWarning, warning } from '../../studyWarnings.ts'
import { markPairs, type OrderedValues, returnsOver, type SeriesSorter, spearmanAt } from './symbolReturns.ts'

/** Correlation without a delay that is too good to be true, and the least number of cells for it. */
const SUSPICIOUS_CORRELATION = 0.9
const LEAST_CELLS = 30
const LEAST_EQUAL_CELLS = 3

/** The first formulas that were found to contain the return that they predict; null if none was. */
export interface Peeks {
  peeking: string | null
  equal: string | null
}

/** Detects signals of one symbol that contain the return that they predict. */
export class PeekGuard {
  /** Returns of the first horizon without a delay. */
  readonly #next: OrderedValues
  /** Returns of each horizon, without a delay and with that of the study. */
  readonly #returns: Float64Array[]
  readonly #ranks: Int32Array
  readonly #mask: Uint8Array
  readonly found: Peeks = { peeking: null, equal: null }

  constructor(
    price: Float64Array,
    { horizons, delayBars }: { horizons: readonly number[]; delayBars: number },
    sorter: SeriesSorter,
  ) {
    this.#next = sorter.sortedCopy(returnsOver(price, 0, horizons[0]))
    const delays = [...new Set([0, delayBars])]
    this.#returns = horizons.flatMap((horizon) => delays.map((delay) => returnsOver(price, delay, horizon)))
    this.#ranks = new Int32Array(price.length)
    this.#mask = new Uint8Array(price.length)
  }

  /** @param name formula of the signal, with its symbol among several */
  check(signal: OrderedValues, name: string): void {
    if (this.found.peeking === null) {
      const { values } = signal
      const count = markPairs(this.#mask, values, this.#next.values, { from: 0, to: values.length })
      if (count >= LEAST_CELLS && this.#correlate(signal, count) > SUSPICIOUS_CORRELATION) this.found.peeking = name
    }
    if (this.found.equal === null && this.#returns.some((returns) => areEqual(signal.values, returns)))
      this.found.equal = name
  }

  #correlate(signal: OrderedValues, count: number): number {
    return Math.abs(spearmanAt(this.#mask, count, signal, this.#next, this.#ranks))
  }
}

/** Names the formulas that were found, in warnings. */
export const peekWarnings = ({ peeking, equal }: Peeks): StudyWarning[] => [
  ...(peeking === null ? [] : [warning('peek-ic', `It is ${peeking}.`)]),
  ...(equal === null ? [] : [warning('peek-equal', `It is ${equal}.`)]),
]

/** Tells whether a signal equals the returns wherever both are present. */
function areEqual(signal: Float64Array, returns: Float64Array): boolean {
  let count = 0
  for (let time = 0; time < signal.length; time++) {
    const change = returns[time]
    const difference = Math.abs(signal[time] - change)
    if (difference !== difference) continue
    if (difference > 1e-12 + 1e-9 * Math.abs(change)) return false
    count++
  }
  return count >= LEAST_EQUAL_CELLS
}
