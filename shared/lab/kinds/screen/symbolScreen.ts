import { studentTwoSided } from '#shared/statistics/distributions.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { Checkpoint } from '../../checkpoint.ts'
import { sampleMomentsOf } from '../../samples.ts'
import type { ScreenStudy } from './fields.ts'
import { PeekGuard, type Peeks } from './peekGuard.ts'
import { type SampleRanks, ShiftedRanks } from './shiftedRanks.ts'
import { isVaried, markPairs, type OrderedValues, returnsOver, SeriesSorter, spearmanAt } from './symbolReturns.ts'

/** What a cell of the screen comes to, before it is compared with the others. */
export interface CellScore {
  direction: 1 | -1
  train: { n: number; ic: number }
  test: { n: number; ic: number; t: number | null; p: number; z: number }
  sharpe: number | null
  grossSharpe: number | null
  turnover: number | null
}

/** Reason for which a cell is left out. */
export type LeftOut = 'tooFew' | 'constant'

/** Least number of samples that do not overlap, in either part. */
const LEAST_SAMPLES = 30

interface SymbolScreenInput {
  price: Float64Array
  /** Membership by time; null if the symbol is always a member. */
  member: Uint8Array | null
  intervalMs: number
  /** Number of times of the first part. */
  trainTimes: number
  study: ScreenStudy
  /** Memory for the ranks of shifted returns. */
  bytesOfShifts: number
  checkpoint: Checkpoint
}

/** A horizon with what it needs of the returns whatever the signal. */
interface Horizon {
  horizon: number
  returns: OrderedValues
  /** First time whose exit does not lie before the split. */
  trainEnd: number
  shifts: ShiftedRanks
}

/** Scores signals of one symbol: directions from the first part, scores from the later one. */
export class SymbolScreen {
  readonly #input: SymbolScreenInput
  readonly #horizons: Horizon[]
  /** Return of each bar after the delay, by the time of the position; 0 if it is missing. */
  readonly #barReturns: Float64Array
  readonly #sorter: SeriesSorter
  /** Ranks by time, and marks of times, of the pair of series at hand. */
  readonly #ranks: Int32Array
  readonly #mask: Uint8Array
  readonly #guard: PeekGuard
  readonly #noise: Float64Array

  /** @param noise receives the largest z of all cells at each shift; NaN where none gives any */
  constructor(input: SymbolScreenInput, noise: Float64Array) {
    const { price, study, trainTimes } = input
    this.#input = input
    this.#noise = noise
    this.#ranks = new Int32Array(price.length)
    this.#mask = new Uint8Array(price.length)
    this.#sorter = new SeriesSorter(price.length)
    this.#guard = new PeekGuard(price, study, this.#sorter)
    const testTimes = price.length - trainTimes
    const offsets = Int32Array.from({ length: study.shifts + 1 }, (_, at) =>
      Math.floor((at * testTimes) / (study.shifts + 1)),
    )
    const bytes = input.bytesOfShifts / study.horizons.length
    this.#horizons = study.horizons.map((horizon) => {
      const returns = this.#sorter.sortedCopy(returnsOver(price, study.delayBars, horizon))
      return {
        horizon,
        returns,
        trainEnd: Math.max(0, trainTimes - study.delayBars - horizon),
        shifts: new ShiftedRanks(returns, trainTimes, offsets, bytes),
      }
    })
    this.#barReturns = returnsOver(price, study.delayBars, 1).map((value) => (value === value ? value : 0))
  }

  get peeks(): Peeks {
    return this.#guard.found
  }

  /**
   * Scores the values of a formula at each horizon, and raises the noise to their correlations with shifted returns.
   * @param values changed: those at times at which the symbol is no member become missing
   */
  scores(values: Float64Array, name: string): (CellScore | LeftOut)[] {
    const { member } = this.#input
    if (member) for (let time = 0; time < values.length; time++) if (!member[time]) values[time] = NaN
    const signal = this.#sorter.sort(values)
    this.#guard.check(signal, name)
    return this.#horizons.map((horizon) => this.#score(signal, horizon))
  }

  #score(signal: OrderedValues, { horizon, returns, trainEnd, shifts }: Horizon): CellScore | LeftOut {
    const { study, trainTimes, checkpoint } = this.#input
    const { values } = signal
    checkpoint()
    const samples = samplesOf(values, returns.values, { from: trainTimes, to: values.length }, horizon)
    const trainSamples = samplesOf(values, returns.values, { from: 0, to: trainEnd }, horizon)
    if (samples.length < LEAST_SAMPLES || trainSamples.length < LEAST_SAMPLES) return 'tooFew'
    const trainCount = markPairs(this.#mask, values, returns.values, { from: 0, to: trainEnd })
    const trainIc = spearmanAt(this.#mask, trainCount, signal, returns, this.#ranks)
    if (Number.isNaN(trainIc) || isConstantFrom(values, returns.values, trainTimes)) return 'constant'
    shifts.useSamples(samples.map((time) => time - trainTimes))
    const ranks = ranksAt(signal, samples, this.#ranks)
    const test = shifts.correlate(ranks, 0)
    if (Number.isNaN(test.r)) return 'constant'
    const direction = trainIc < 0 ? -1 : 1
    for (let shift = 1; shift <= study.shifts; shift++) {
      checkpoint()
      const { n, r } = shifts.correlate(ranks, shift)
      const z = direction * r * Math.sqrt(n - 1)
      if (!(this.#noise[shift - 1] >= z) && z === z) this.#noise[shift - 1] = z
    }
    return {
      direction,
      train: { n: trainCount, ic: trainIc },
      test: tested(test.n, direction * test.r + 0),
      ...this.#profit(signal, trainCount, direction),
    }
  }

  /**
   * Computes what positions from the place of the signal among those of the first part, which the mask marks, would have
   * earned.
   */
  #profit({ values, order, sorted }: OrderedValues, trainCount: number, direction: number) {
    const { trainTimes, intervalMs, study } = this.#input
    const mask = this.#mask
    const position = new Float64Array(values.length)
    let below = 0
    for (let at = 0; at < order.length;) {
      const value = sorted[at]
      const start = at
      let equal = 0
      do equal += mask[order[at++]]
      while (sorted[at] === value)
      const share = (below + equal / 2) / trainCount
      for (let place = start; place < at; place++) position[order[place]] = direction * (2 * share - 1)
      below += equal
    }
    const end = Math.max(trainTimes, values.length - study.delayBars - 1)
    const gross = new Float64Array(end - trainTimes)
    const net = new Float64Array(end - trainTimes)
    const cost = study.costBps / 10_000
    let traded = 0
    let before = 0
    for (let time = trainTimes; time < end; time++) {
      const change = Math.abs(position[time] - before)
      before = position[time]
      traded += change
      const at = time - trainTimes
      gross[at] = position[time] * this.#barReturns[time]
      net[at] = gross[at] - change * cost
    }
    const perYear = Math.sqrt((365 * MS_PER_DAY) / intervalMs)
    return {
      sharpe: sharpeOf(net, perYear),
      grossSharpe: sharpeOf(gross, perYear),
      turnover: gross.length === 0 ? null : (traded / gross.length) * (MS_PER_DAY / intervalMs),
    }
  }
}

/** Lists the first time at which both are present and every `step` times after it at which they are. */
function samplesOf(
  x: Float64Array,
  y: Float64Array,
  { from, to }: { from: number; to: number },
  step: number,
): Int32Array {
  const isUsed = (time: number) => x[time] === x[time] && y[time] === y[time]
  let first = from
  while (first < to && !isUsed(first)) first++
  const samples = new Int32Array(Math.max(0, Math.ceil((to - first) / step)))
  let count = 0
  for (let time = first; time < to; time += step) if (isUsed(time)) samples[count++] = time
  return samples.slice(0, count)
}

/** Tells whether either series is constant over the times from `from` on at which both are present. */
function isConstantFrom(x: Float64Array, y: Float64Array, from: number): boolean {
  let [lowX, highX, lowY, highY] = [Infinity, -Infinity, Infinity, -Infinity]
  for (let time = from; time < x.length; time++) {
    const a = x[time]
    const b = y[time]
    if (a !== a || b !== b) continue
    if (a < lowX) lowX = a
    if (a > highX) highX = a
    if (b < lowY) lowY = b
    if (b > highY) highY = b
  }
  return !isVaried(lowX, highX) || !isVaried(lowY, highY)
}

/**
 * Ranks samples by the signal.
 * @param places receives the index of each sample by its time
 */
function ranksAt({ order, sorted }: OrderedValues, samples: Int32Array, places: Int32Array): SampleRanks {
  places.fill(-1)
  for (let sample = 0; sample < samples.length; sample++) places[samples[sample]] = sample
  const ascending = new Int32Array(samples.length)
  const values = new Float64Array(samples.length)
  const ranks = new Int32Array(samples.length)
  const equals = new Int32Array(samples.length)
  let squares = 0
  let count = 0
  for (let at = 0; at < order.length;) {
    const value = sorted[at]
    const start = count
    do {
      const sample = places[order[at++]]
      if (sample < 0) continue
      values[count] = value
      ascending[count++] = sample
    } while (sorted[at] === value)
    const equal = count - start
    squares += equal * (start + count - samples.length) ** 2
    for (let place = start; place < count; place++) {
      ranks[ascending[place]] = start + count
      equals[ascending[place]] = equal
    }
  }
  return { order: ascending, sorted: values, ranks, equals, squares }
}

/** Tests a correlation in the learnt direction, one-sided. */
function tested(n: number, ic: number): CellScore['test'] {
  const z = ic * Math.sqrt(n - 1)
  if (Math.abs(ic) === 1) return { n, ic, t: null, p: ic > 0 ? 0 : 1, z }
  const t = ic * Math.sqrt((n - 2) / (1 - ic * ic))
  const tail = studentTwoSided(t, n - 2) / 2
  return { n, ic, t, p: t >= 0 ? tail : 1 - tail, z }
}

function sharpeOf(returns: Float64Array, perYear: number): number | null {
  const { mean, sd } = sampleMomentsOf(returns)
  return mean === null || sd === null || sd === 0 ? null : (mean / sd) * perYear
}
