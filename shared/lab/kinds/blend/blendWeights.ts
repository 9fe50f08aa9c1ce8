import { lowerBound } from '#shared/search.ts'
import { ValueSorter } from '#shared/statistics/orderValues.ts'
import type { DailyValues } from '../../universe.ts'
import { capWeights } from '../../portfolio/targetWeights.ts'
import type { BlendStudy } from './fields.ts'

/** Values by day and ticker, row by row; NaN where there is none. Days ascend. */
export interface TickerTable {
  days: Int32Array
  tickers: readonly string[]
  values: Float64Array
}

/** A component with its values. In a history of weights, a missing value is a weight of 0. */
export interface ComponentTable extends TickerTable {
  isHistory: boolean
}

export interface BlendData {
  components: ComponentTable[]
  /** Members of the universe by day: 1 for a member; null if every ticker is one. */
  universe: TickerTable | null
  /** Values that multiply the weights; null without an overlay. */
  overlay: DailyValues | null
  prices: TickerTable
}

/** Weights of the days on which a blend has some. */
export interface BlendWeights {
  days: Int32Array
  /** Row by row; NaN where there is no weight. */
  weights: Float64Array
  memberDays: number
  noValue: number
  noVolatility: number
}

/** A value of at most this size is 0, and one at most this far above another is equal to it. */
const ROUNDING = 1e-12

/** Shaped values of a component by day of the blend and ticker; NaN where there is none. */
interface ShapedRows {
  values: Float64Array
  /** 1 for a day on which the component has a value of a member. */
  isThere: Uint8Array
}

/** What all blends of the same components share: the tickers, who is a member, the shapes and the volatilities. */
export interface ShapedBlend {
  study: BlendStudy
  tickers: string[]
  days: Int32Array
  /** Members by day. */
  members: Uint8Array[]
  shaped: ShapedRows[]
  data: BlendData
  /** Volatilities by day and ticker, NaN where there are none; null if none are needed. */
  volatilities: Float64Array | null
}

/** @param range days of the study, both ends included */
export function shapeComponents(
  study: BlendStudy,
  data: BlendData,
  range: { first: number; last: number },
): ShapedBlend {
  const tickers = [...new Set(data.components.flatMap((each) => each.tickers))].sort()
  const inRange = (day: number) => day >= range.first && day <= range.last
  const days = Int32Array.from(new Set(data.components.flatMap((each) => [...each.days].filter(inRange)))).sort()
  const members = Array.from(days, (day) => membersOn(day, tickers, data.universe))
  const rowOfDay = new Map(Array.from(days, (day, row) => [day, row]))
  const sorter = new RankSorter(tickers.length)
  const bins = new BinValues(study.bins)
  const shaped = data.components.map((component, at) =>
    shapeComponent(component, {
      shape: study.components[at].shape,
      bins,
      tickers,
      members,
      rowOfDay,
      sorter,
    }),
  )
  const { inverseVolatility } = study
  const volatilities = inverseVolatility && volatilitiesOn(days, tickers, data.prices, inverseVolatility)
  return { study, tickers, days, members, shaped, data, volatilities }
}

/** Marks the members of a day: those of the last row dated before it. */
function membersOn(day: number, tickers: readonly string[], universe: TickerTable | null): Uint8Array {
  if (!universe) return new Uint8Array(tickers.length).fill(1)
  const row = lowerBound(universe.days, day) - 1
  const marked = new Set(
    row < 0 ? [] : universe.tickers.filter((_, at) => universe.values[row * universe.tickers.length + at] === 1),
  )
  return Uint8Array.from(tickers, (ticker) => Number(marked.has(ticker)))
}

interface ShapeOptions {
  shape: BlendStudy['components'][number]['shape']
  bins: BinValues
  tickers: readonly string[]
  members: readonly Uint8Array[]
  rowOfDay: ReadonlyMap<number, number>
  sorter: RankSorter
}

/** Shapes the rows of a component; it is not there on a day without a value of a member. */
function shapeComponent(
  { days, tickers: own, values }: ComponentTable,
  { shape, bins, tickers, members, rowOfDay, sorter }: ShapeOptions,
): ShapedRows {
  const width = tickers.length
  const placeOf = new Map(tickers.map((ticker, place) => [ticker, place]))
  const places = Int32Array.from(own, (ticker) => placeOf.get(ticker) ?? 0)
  const shaped = { values: new Float64Array(members.length * width).fill(NaN), isThere: new Uint8Array(members.length) }
  const found = new Int32Array(own.length)
  const present = new Float64Array(own.length)
  for (let from = 0; from < days.length; from++) {
    const row = rowOfDay.get(days[from])
    if (row === undefined) continue
    const member = members[row]
    let count = 0
    for (let at = 0; at < own.length; at++) {
      const value = values[from * own.length + at]
      if (value !== value || !member[places[at]]) continue
      found[count] = places[at]
      present[count++] = value
    }
    if (count === 0) continue
    shapeValues(present, count, { shape, bins, sorter })
    divideByGross(present, count)
    for (let at = 0; at < count; at++) shaped.values[row * width + found[at]] = present[at]
    shaped.isThere[row] = 1
  }
  return shaped
}

/** Replaces the first values by their shapes. */
function shapeValues(
  values: Float64Array,
  count: number,
  { shape, bins, sorter }: Pick<ShapeOptions, 'shape' | 'bins' | 'sorter'>,
): void {
  if (shape === 'asIs') return
  if (shape === 'zscore') return shapeScores(values, count)
  sorter.rank(values, count, 0)
  const { ranks } = sorter
  if (shape === 'rank') for (let at = 0; at < count; at++) values[at] = ranks[at] - (count + 1) / 2
  else {
    const binValues = bins.of(count)
    for (let at = 0; at < count; at++) values[at] = binValues[2 * ranks[at]]
  }
}

/** Finds the values of the bins of ranks, which are asked for millions of times. */
class BinValues {
  readonly #bins: number
  /** Values by number of ranks and twice the rank. */
  readonly #byCount: Float64Array[] = []

  constructor(bins: number) {
    this.#bins = bins
  }

  /** Returns the values of `count` ranks, at twice each rank. */
  of(count: number): Float64Array {
    return (this.#byCount[count] ??= Float64Array.from({ length: 2 * count + 1 }, (_, twice) => {
      const bin = 1 + Math.floor(((twice - 1) * this.#bins) / (2 * count))
      return (2 * (bin - 1)) / (this.#bins - 1) - 1
    }))
  }
}

/** Ranks many short lists; its buffers are used again by every call. */
class RankSorter {
  readonly ranks: Float64Array
  readonly #sorter: ValueSorter

  constructor(capacity: number) {
    this.ranks = new Float64Array(capacity)
    this.#sorter = new ValueSorter(capacity)
  }

  /** Ranks from 1; a value at most `tolerance` above the one before it is equal to it, and equal ones share a mean rank. */
  rank(values: Float64Array, count: number, tolerance: number): void {
    const order = this.#sorter.sort(values, count)
    for (let from = 0; from < count;) {
      let to = from + 1
      while (to < count && values[order[to]] - values[order[to - 1]] <= tolerance) to++
      for (let at = from; at < to; at++) this.ranks[order[at]] = (from + 1 + to) / 2
      from = to
    }
  }
}

const LARGEST_SCORE = 3

function shapeScores(values: Float64Array, count: number): void {
  let sum = 0
  let varies = false
  for (let at = 0; at < count; at++) {
    sum += values[at]
    varies ||= values[at] !== values[0]
  }
  if (!varies) return void values.fill(0, 0, count)
  const mean = sum / count
  let largest = 0
  for (let at = 0; at < count; at++) largest = Math.max(largest, Math.abs(values[at] - mean))
  if (!(largest > 0)) return void values.fill(0, 0, count)
  // Relative to the largest, so that no square overflows or vanishes.
  let squares = 0
  for (let at = 0; at < count; at++) squares += ((values[at] - mean) / largest) ** 2
  const deviation = largest * Math.sqrt(squares / (count - 1))
  for (let at = 0; at < count; at++)
    values[at] = Math.max(-LARGEST_SCORE, Math.min(LARGEST_SCORE, (values[at] - mean) / deviation))
}

function divideByGross(x: Float64Array, count: number): void {
  let gross = 0
  for (let at = 0; at < count; at++) gross += Math.abs(x[at])
  for (let at = 0; at < count; at++) x[at] = gross === 0 ? 0 : x[at] / gross
}

/** Standard deviations of the daily returns of the last days up to each day, by day and ticker. */
function volatilitiesOn(
  days: Int32Array,
  tickers: readonly string[],
  prices: TickerTable,
  { days: window, minDays }: NonNullable<BlendStudy['inverseVolatility']>,
): Float64Array {
  const result = new Float64Array(days.length * tickers.length).fill(NaN)
  const width = prices.tickers.length
  tickers.forEach((ticker, place) => {
    const column = prices.tickers.indexOf(ticker)
    if (column < 0) return
    const returnDays: number[] = []
    const returns: number[] = []
    for (let row = 1; row < prices.days.length; row++) {
      if (prices.days[row - 1] !== prices.days[row] - 1) continue
      const before = prices.values[(row - 1) * width + column]
      const change = prices.values[row * width + column] / before - 1
      if (!(before > 0) || change !== change) continue
      returnDays.push(prices.days[row])
      returns.push(change)
    }
    let from = 0
    let to = 0
    for (const [row, day] of days.entries()) {
      while (to < returnDays.length && returnDays[to] <= day) to++
      while (from < to && returnDays[from] <= day - window) from++
      if (to - from >= minDays) result[row * tickers.length + place] = deviationOf(returns, from, to)
    }
  })
  return result
}

function deviationOf(values: readonly number[], from: number, to: number): number {
  let sum = 0
  let varies = false
  for (let at = from; at < to; at++) {
    sum += values[at]
    varies ||= values[at] !== values[from]
  }
  if (!varies) return 0
  const mean = sum / (to - from)
  let squares = 0
  for (let at = from; at < to; at++) squares += (values[at] - mean) ** 2
  return Math.sqrt(squares / (to - from - 1))
}

/** Blends of all components, and of all but each one. */
interface Blends {
  whole: BlendWeights
  without: BlendWeights[]
}

/** @param onDay called before each day */
export function blendComponents(blend: ShapedBlend, onDay: (row: number) => void = () => undefined): Blends {
  const { study, tickers, days, shaped } = blend
  const width = tickers.length
  const finish = createFinish(blend)
  const whole = createCollector(days.length, width)
  const without = study.components.length === 1 ? [] : shaped.map(() => createCollector(days.length, width))
  const means = new DayMeans(blend)
  const x = new Float64Array(width)
  for (const [row, day] of days.entries()) {
    onDay(row)
    means.start(row)
    const counts = means.blend(x, -1) ? finish(x, row) : null
    if (counts) whole.add(day, x, counts)
    for (const [component, { isThere }] of shaped.entries()) {
      const collector = without.at(component)
      if (!collector) continue
      // A component that is not there on a day changes nothing.
      if (!isThere[row]) {
        if (counts) collector.add(day, whole.last(), counts)
      } else if (means.blend(x, component)) collector.add(day, x, finish(x, row))
    }
  }
  return { whole: whole.result(), without: without.map((each) => each.result()) }
}

interface DayCounts {
  memberDays: number
  noValue: number
  noVolatility: number
}

/** Collects the weights of the days on which a blend has some. */
function createCollector(mostDays: number, width: number) {
  const days: number[] = []
  const weights = new Float64Array(mostDays * width)
  const total: DayCounts = { memberDays: 0, noValue: 0, noVolatility: 0 }
  return {
    add(day: number, x: Float64Array, { memberDays, noValue, noVolatility }: DayCounts): void {
      weights.set(x, days.length * width)
      days.push(day)
      total.memberDays += memberDays
      total.noValue += noValue
      total.noVolatility += noVolatility
    },
    last: () => weights.subarray((days.length - 1) * width, days.length * width),
    result: (): BlendWeights => ({
      days: Int32Array.from(days),
      weights: weights.subarray(0, days.length * width),
      ...total,
    }),
  }
}

/**
 * Weighted means of the components of a day, of all and of all but one. Sums from both ends are kept, so that leaving
 * one out adds two sums and subtracts nothing.
 */
class DayMeans {
  readonly #blend: ShapedBlend
  readonly #width: number
  /** Sums of weighted values, and of the weights, of the components before a place and from a place on. */
  readonly #before: Float64Array[]
  readonly #sizeBefore: Float64Array[]
  readonly #after: Float64Array[]
  readonly #sizeAfter: Float64Array[]
  /** Number of components with a value, by ticker. */
  readonly #present: Uint8Array
  #row = 0
  #there = 0

  constructor(blend: ShapedBlend) {
    this.#blend = blend
    this.#width = blend.tickers.length
    const sums = () => Array.from({ length: blend.shaped.length + 1 }, () => new Float64Array(this.#width))
    this.#before = sums()
    this.#sizeBefore = sums()
    this.#after = sums()
    this.#sizeAfter = sums()
    this.#present = new Uint8Array(this.#width)
  }

  start(row: number): void {
    const { shaped } = this.#blend
    this.#row = row
    this.#there = 0
    this.#present.fill(0)
    for (let component = 0; component < shaped.length; component++) {
      const from = { sum: this.#before[component], size: this.#sizeBefore[component] }
      this.#add(component, from, { sum: this.#before[component + 1], size: this.#sizeBefore[component + 1] })
      if (shaped[component].isThere[row]) this.#countPresent(shaped[component].values)
    }
    for (let component = shaped.length - 1; component >= 0; component--) {
      const from = { sum: this.#after[component + 1], size: this.#sizeAfter[component + 1] }
      this.#add(component, from, { sum: this.#after[component], size: this.#sizeAfter[component] })
    }
  }

  #countPresent(values: Float64Array): void {
    this.#there++
    const from = this.#row * this.#width
    for (let at = 0; at < this.#width; at++) if (values[from + at] === values[from + at]) this.#present[at]++
  }

  #add(component: number, from: { sum: Float64Array; size: Float64Array }, to: typeof from): void {
    const { shaped, study, data } = this.#blend
    const { values, isThere } = shaped[component]
    to.sum.set(from.sum)
    to.size.set(from.size)
    if (!isThere[this.#row]) return
    const { weight } = study.components[component]
    const { isHistory } = data.components[component]
    const size = Math.abs(weight)
    const start = this.#row * this.#width
    for (let at = 0; at < this.#width; at++) {
      const value = values[start + at]
      if (value === value) {
        to.sum[at] += weight * value
        to.size[at] += size
      } else if (isHistory) to.size[at] += size
    }
  }

  /**
   * Writes the means of the day into `x`, NaN where no component has a value.
   * @param leftOut component to leave out; −1 for none
   * @returns false if no component is there
   */
  blend(x: Float64Array, leftOut: number): boolean {
    const values = leftOut < 0 ? null : this.#blend.shaped[leftOut].values
    if (this.#there - (values ? 1 : 0) <= 0) return false
    const start = this.#row * this.#width
    const place = Math.max(leftOut, 0)
    const [before, sizeBefore] = [this.#before[place], this.#sizeBefore[place]]
    const [after, sizeAfter] = [this.#after[leftOut + 1], this.#sizeAfter[leftOut + 1]]
    for (let at = 0; at < this.#width; at++) {
      const isOwn = values !== null && values[start + at] === values[start + at]
      const present = this.#present[at] - (isOwn ? 1 : 0)
      x[at] = present > 0 ? (before[at] + after[at]) / (sizeBefore[at] + sizeAfter[at]) : NaN
    }
    return true
  }
}

/** Turns the means of a day into weights, in place. */
function createFinish({ study, members, data, days, volatilities, tickers }: ShapedBlend) {
  const width = tickers.length
  const sorter = new RankSorter(width)
  const bins = new BinValues(study.bins)
  const places = new Int32Array(width)
  const present = new Float64Array(width)
  const overlay = createOverlay(data.overlay)
  return (x: Float64Array, row: number): DayCounts => {
    roundSmall(x)
    if (study.again) shapeAgain(x, bins, { sorter, places, present })
    if (study.neutral) subtractMean(x)
    const counts = { memberDays: 0, noValue: 0, noVolatility: 0 }
    const member = members[row]
    for (let at = 0; at < width; at++) {
      if (!member[at]) continue
      counts.memberDays++
      if (x[at] !== x[at]) counts.noValue++
    }
    if (volatilities) counts.noVolatility = divideByVolatility(x, volatilities.subarray(row * width, (row + 1) * width))
    scaleTo(x, study.gross)
    if (study.cap !== null) capWeights(x, study.cap)
    const factor = overlay(days[row])
    if (factor !== 1) for (let at = 0; at < width; at++) x[at] *= factor
    return counts
  }
}

function roundSmall(x: Float64Array): void {
  for (let at = 0; at < x.length; at++) if (Math.abs(x[at]) <= ROUNDING) x[at] = 0
}

interface ShapeBuffers {
  sorter: RankSorter
  places: Int32Array
  present: Float64Array
}

function shapeAgain(x: Float64Array, bins: BinValues, { sorter, places, present }: ShapeBuffers): void {
  let count = 0
  for (let at = 0; at < x.length; at++) {
    if (x[at] !== x[at]) continue
    places[count] = at
    present[count++] = x[at]
  }
  sorter.rank(present, count, ROUNDING)
  const binValues = bins.of(count)
  for (let index = 0; index < count; index++) x[places[index]] = binValues[2 * sorter.ranks[index]]
  roundSmall(x)
}

function subtractMean(x: Float64Array): void {
  let [sum, count] = [0, 0]
  for (let at = 0; at < x.length; at++) {
    if (x[at] !== x[at]) continue
    sum += x[at]
    count++
  }
  const mean = sum / count
  for (let at = 0; at < x.length; at++) x[at] -= mean
  roundSmall(x)
}

/** Divides by volatility; a value without one becomes 0. Returns the number of these. */
function divideByVolatility(x: Float64Array, volatilities: Float64Array): number {
  let [sum, count, without] = [0, 0, 0]
  for (let at = 0; at < x.length; at++) {
    if (x[at] !== x[at]) continue
    if (volatilities[at] > 0) {
      sum += 1 / volatilities[at]
      count++
    } else without++
  }
  for (let at = 0; at < x.length; at++) {
    if (x[at] !== x[at]) continue
    x[at] = volatilities[at] > 0 ? (x[at] * (1 / volatilities[at])) / (sum / count) : 0
  }
  return without
}

function scaleTo(x: Float64Array, gross: number): void {
  let sum = 0
  for (let at = 0; at < x.length; at++) if (x[at] === x[at]) sum += Math.abs(x[at])
  if (sum === 0) return
  for (let at = 0; at < x.length; at++) x[at] = (x[at] * gross) / sum
}

/** Finds the last value before a day; 1 if there is none. */
function createOverlay(overlay: DailyValues | null): (day: number) => number {
  if (!overlay) return () => 1
  const { days, values } = overlay
  return (day) => {
    for (let row = lowerBound(days, day) - 1; row >= 0; row--) if (values[row] === values[row]) return values[row]
    return 1
  }
}
