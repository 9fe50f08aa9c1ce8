import { ascendingOrder } from '#shared/statistics/ascendingOrder.ts'
import { pearsonOfAscending, spearmanOfOrdered } from '../correlations.ts'

interface CellCorrelation {
  n: number
  spearman: number | null
}

/** Orders times by their values, all of which are present; equal values keep the order of their times. */
export function timesByValue(times: Int32Array, values: Float64Array): Int32Array {
  const order = ascendingOrder(valuesAt(times, values))
  const ordered = new Int32Array(times.length)
  for (let at = 0; at < ordered.length; at++) ordered[at] = times[order[at]]
  return ordered
}

function valuesAt(times: Int32Array, values: Float64Array): Float64Array {
  const picked = new Float64Array(times.length)
  for (let at = 0; at < picked.length; at++) picked[at] = values[times[at]]
  return picked
}

/** Key of a cell that is in no group. */
const NO_GROUP = 0xffff

/** Correlates signals with the returns that follow them, over the cells of one symbol or over groups of them. */
export class CellCorrelations {
  /** Times of the cells in ascending order of the signal; a cell is known by its place among them. */
  readonly #times: Int32Array
  readonly #signal: Float64Array
  readonly #returns: Float64Array
  /** Returns in ascending order, and the cells that they belong to. */
  readonly #ordered: { values: Float64Array; order: Int32Array }
  /** Buffers of the groups' cells, one group after the other. */
  readonly #grouped: { signal: Float64Array; values: Float64Array; order: Int32Array; places: Int32Array }
  readonly #ranks: Float64Array

  /** @param bySignal times with a signal in ascending order of the signal; those without a return are left out */
  constructor(signal: Float64Array, returns: Float64Array, bySignal: Int32Array) {
    const times = new Int32Array(bySignal.length)
    let count = 0
    for (let at = 0; at < bySignal.length; at++) {
      const time = bySignal[at]
      if (returns[time] === returns[time]) times[count++] = time
    }
    this.#times = times.subarray(0, count)
    this.#signal = valuesAt(this.#times, signal)
    this.#returns = valuesAt(this.#times, returns)
    const order = new Int32Array(ascendingOrder(this.#returns))
    this.#ordered = { values: valuesAt(order, this.#returns), order }
    this.#grouped = {
      signal: new Float64Array(count),
      values: new Float64Array(count),
      order: new Int32Array(count),
      places: new Int32Array(count),
    }
    this.#ranks = new Float64Array(count)
  }

  get count(): number {
    return this.#times.length
  }

  correlation(): CellCorrelation & { pearson: number | null } {
    const spearman = spearmanOfOrdered(this.#signal, this.#ordered, this.count, this.#ranks)
    const pearson = pearsonOfAscending(this.#signal, this.#returns, this.count)
    return { n: this.count, spearman: orNull(spearman), pearson: orNull(pearson) }
  }

  /** Correlates the cells whose time has a flag. */
  correlationOf(isIn: Uint8Array): CellCorrelation & { pearson: number | null } {
    const [signal, returns] = [new Float64Array(this.count), new Float64Array(this.count)]
    const keys = new Uint16Array(this.count).fill(NO_GROUP)
    let count = 0
    for (let cell = 0; cell < this.count; cell++) {
      if (isIn[this.#times[cell]] === 0) continue
      keys[cell] = 0
      signal[count] = this.#signal[cell]
      returns[count++] = this.#returns[cell]
    }
    if (count === this.count) return this.correlation()
    const [grouped] = this.#correlateGroups(keys, 1)
    return { ...grouped, pearson: orNull(pearsonOfAscending(signal, returns, count)) }
  }

  /** Correlates the cells of each group; the key of a time is the index of its group. */
  correlationsBy(keys: Uint16Array, groups: number): CellCorrelation[] {
    const cellKeys = new Uint16Array(this.count)
    for (let cell = 0; cell < this.count; cell++) cellKeys[cell] = keys[this.#times[cell]]
    return this.#correlateGroups(cellKeys, groups)
  }

  #correlateGroups(keys: Uint16Array, groups: number): CellCorrelation[] {
    const starts = groupStarts(keys, groups)
    const filled = starts.slice()
    // A place is that of a cell in its group, in order of the signal.
    const { signal, values, order, places } = this.#grouped
    for (let cell = 0; cell < this.count; cell++) {
      const key = keys[cell]
      if (key === NO_GROUP) continue
      places[cell] = filled[key] - starts[key]
      signal[filled[key]++] = this.#signal[cell]
    }
    filled.set(starts)
    for (let at = 0; at < this.count; at++) {
      const cell = this.#ordered.order[at]
      const key = keys[cell]
      if (key === NO_GROUP) continue
      values[filled[key]] = this.#ordered.values[at]
      order[filled[key]++] = places[cell]
    }
    return Array.from({ length: groups }, (_, group) => {
      const [from, to] = [starts[group], starts[group + 1]]
      const ordered = { values: values.subarray(from, to), order: order.subarray(from, to) }
      return {
        n: to - from,
        spearman: orNull(spearmanOfOrdered(signal.subarray(from, to), ordered, to - from, this.#ranks)),
      }
    })
  }
}

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value)

/** Finds where the cells of each group start if groups stand one after the other; the last number is their end. */
function groupStarts(keys: Uint16Array, groups: number): Int32Array {
  const starts = new Int32Array(groups + 1)
  for (let cell = 0; cell < keys.length; cell++) if (keys[cell] !== NO_GROUP) starts[keys[cell] + 1]++
  for (let group = 0; group < groups; group++) starts[group + 1] += starts[group]
  return starts
}
