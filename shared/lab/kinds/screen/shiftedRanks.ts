import { correlation, isVaried, type OrderedValues } from './symbolReturns.ts'

/** Ranks of the returns at the samples, once they are moved in a circle. */
interface Shift {
  /** Twice the distance from the mean rank, by sample; 0 without a return. */
  ranks: Int32Array
  /** Samples without a return. */
  missing: Int32Array
  /** Sum of the squares of the ranks. */
  squares: number
  varies: boolean
}

/** Ranks of a signal at the samples. */
export interface SampleRanks {
  /** Indexes of the samples, ascending by the signal. */
  order: Int32Array
  /** Values of the signal in this order. */
  sorted: Float64Array
  /** Number of samples below, twice, and of equal ones, itself included: twice the average rank less 1, by sample. */
  ranks: Int32Array
  /** Number of samples equal to each, itself included. */
  equals: Int32Array
  /** Sum of the squares of the centred ranks, as ranks are stored. */
  squares: number
}

/** Largest number of missing returns for which ranks are corrected, which is faster than ranking anew. */
const MOST_CORRECTED = 12

/**
 * Moves the returns of one symbol and horizon in a circle inside the test part, and correlates their ranks with those
 * of signals. The ranks of a shift depend only on the times of the samples, which most columns share, so they are kept.
 */
export class ShiftedRanks {
  readonly #classes: Int32Array
  readonly #classValues: Float64Array
  readonly #classCounts: Int32Array
  readonly #offsets: Int32Array
  readonly #mostKept: number
  #samples: Int32Array = new Int32Array(0)
  #shifts = new Map<number, Shift>()

  /**
   * @param returns over time
   * @param from first time of the test part
   * @param offsets of the shifts; the first is 0, for the returns as they are
   * @param mostBytes memory for ranks that are kept
   */
  constructor({ values, order, sorted }: OrderedValues, from: number, offsets: Int32Array, mostBytes: number) {
    const length = values.length - from
    this.#classes = new Int32Array(length).fill(-1)
    const classValues: number[] = []
    for (let place = 0; place < order.length; place++) {
      if (order[place] < from) continue
      if (sorted[place] !== classValues.at(-1)) classValues.push(sorted[place])
      this.#classes[order[place] - from] = classValues.length - 1
    }
    this.#classValues = Float64Array.from(classValues)
    this.#classCounts = new Int32Array(classValues.length)
    this.#offsets = offsets
    this.#mostKept = Math.floor(mostBytes / (4 * Math.max(1, length)))
  }

  /** Chooses the samples of the next signal: ascending times, counted from the start of the test part. */
  useSamples(samples: Int32Array): void {
    if (areEqual(samples, this.#samples)) return
    this.#samples = samples
    this.#shifts = new Map()
  }

  /**
   * Correlates the ranks of a signal at the samples with those of the returns at a shift, over the samples that have a
   * return; `r` is NaN if either is constant.
   */
  correlate(signal: SampleRanks, at: number): { n: number; r: number } {
    const shift = this.#shift(at)
    const n = shift.ranks.length - shift.missing.length
    if (n < 2 || !shift.varies || !variesWithout(signal, shift.missing)) return { n, r: NaN }
    const { squares, products } =
      shift.missing.length <= MOST_CORRECTED ? corrected(signal, shift) : rankedAnew(signal, shift)
    return { n, r: correlation(squares, shift.squares, products) }
  }

  #shift(at: number): Shift {
    const kept = this.#shifts.get(at)
    if (kept) return kept
    const shift = this.#compute(this.#offsets[at])
    if (this.#shifts.size < this.#mostKept) this.#shifts.set(at, shift)
    return shift
  }

  #compute(offset: number): Shift {
    const samples = this.#samples
    const classes = this.#classes
    const values = this.#classValues
    const counts = this.#classCounts.fill(0)
    const { length } = classes
    const ranks = new Int32Array(samples.length)
    const missing: number[] = []
    for (let sample = 0; sample < samples.length; sample++) {
      const moved = samples[sample] + offset
      const one = classes[moved < length ? moved : moved - length]
      ranks[sample] = one
      if (one < 0) missing.push(sample)
      else counts[one]++
    }
    const n = samples.length - missing.length
    let [seen, squares, low, high] = [0, 0, NaN, NaN]
    for (let one = 0; one < counts.length; one++) {
      const count = counts[one]
      if (count === 0) continue
      const rank = 2 * seen + count - n
      squares += count * rank * rank
      counts[one] = rank
      if (seen === 0) low = values[one]
      high = values[one]
      seen += count
    }
    for (let sample = 0; sample < ranks.length; sample++) ranks[sample] = ranks[sample] < 0 ? 0 : counts[ranks[sample]]
    return { ranks, missing: Int32Array.from(missing), squares, varies: isVaried(low, high) }
  }
}

/** Tells whether a signal varies over the samples but the missing ones. */
function variesWithout({ order, sorted }: SampleRanks, missing: Int32Array): boolean {
  let first = 0
  while (missing.includes(order[first])) first++
  let last = order.length - 1
  while (missing.includes(order[last])) last--
  return isVaried(sorted[first], sorted[last])
}

interface RankSums {
  /** Sum of the squares of the ranks of the signal. */
  squares: number
  /** Sum of the products of both ranks. */
  products: number
}

/**
 * Computes the sums from the ranks over all samples, less what the missing ones add to those above and beside them. The
 * ranks of the returns add up to 0, so the ranks of the signal need not be centred.
 */
function corrected(signal: SampleRanks, { ranks: returnRanks, missing }: Shift): RankSums {
  const { ranks, equals } = signal
  const missingRanks = Array.from(missing, (sample) => ranks[sample])
  let products = 0
  for (let at = 0; at === 0 || at < missing.length; at += 2) {
    const [a = ABOVE_ALL, b = ABOVE_ALL] = missingRanks.slice(at)
    products += at === 0 ? productSum(ranks, returnRanks, a, b) : -sumAboveAndBeside(ranks, returnRanks, a, b)
  }
  // n(n² − 1)/3 − Σ(c³ − c)/3 over groups of c equal values.
  const count = ranks.length
  let ties = cubic(count) - signal.squares
  for (let at = 0; at < missing.length; at++) {
    const sample = missing[at]
    const rank = ranks[sample]
    let equal = equals[sample]
    for (let before = 0; before < at; before++) if (ranks[missing[before]] === rank) equal--
    ties -= cubic(equal) - cubic(equal - 1)
  }
  return { squares: cubic(count - missing.length) - ties, products }
}

const cubic = (count: number): number => (count * (count - 1) * (count + 1)) / 3

/** Rank above all others. */
const ABOVE_ALL = 2 ** 30

/**
 * Sums the products of ranks, with those of x less what the samples of ranks a and b, which are missing, add to them: 2
 * above, 1 beside. Whether a rank is above another is taken from the sign of their difference, because a jump that
 * depends on data costs more than the sum.
 */
function productSum(x: Int32Array, y: Int32Array, a: number, b: number): number {
  let even = 0
  let odd = 0
  let at = 0
  // The sums of integers are exact in any order, and two do not wait for each other.
  for (; at + 1 < x.length; at += 2) {
    const one = x[at]
    const other = x[at + 1]
    even += (one - above(a, one) - above(b, one)) * y[at]
    odd += (other - above(a, other) - above(b, other)) * y[at + 1]
  }
  if (at < x.length) even += (x[at] - above(a, x[at]) - above(b, x[at])) * y[at]
  return even + odd
}

/** Sums the values of the samples, each as often as the samples of ranks a and b, which are missing, add to its rank. */
function sumAboveAndBeside(ranks: Int32Array, values: Int32Array, a: number, b: number): number {
  let sum = 0
  for (let at = 0; at < ranks.length; at++) sum += (above(a, ranks[at]) + above(b, ranks[at])) * values[at]
  return sum
}

/** 2 if a rank is above the missing one, 1 if it is equal, 0 if it is below. */
const above = (missing: number, rank: number): number =>
  (((missing - rank) | 0) >>> 31) + (((missing - rank - 1) | 0) >>> 31)

function rankedAnew({ order, sorted }: SampleRanks, { ranks, missing }: Shift): RankSums {
  const isMissing = new Uint8Array(ranks.length)
  for (const sample of missing) isMissing[sample] = 1
  const n = ranks.length - missing.length
  let squares = 0
  let products = 0
  let seen = 0
  for (let place = 0; place < order.length;) {
    const value = sorted[place]
    let count = 0
    let sum = 0
    do {
      const sample = order[place++]
      count += 1 - isMissing[sample]
      sum += ranks[sample]
    } while (sorted[place] === value)
    const rank = 2 * seen + count - n
    squares += count * rank * rank
    products += sum * rank
    seen += count
  }
  return { squares, products }
}

function areEqual(a: Int32Array, b: Int32Array): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}
