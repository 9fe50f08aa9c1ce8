import { groupBy, hourOf, monthOf, weekdayOf } from '../../calendar.ts'
import { TIMES_PER_CHECKPOINT, type Checkpoint, noCheckpoint } from '../../checkpoint.ts'
import { gibText, PanelError, timeAt } from '../../panel.ts'
import type { Matrix } from '../../panelFormula.ts'
import { estimateOf, quantileOf, ROUNDING_FRACTION } from '../../samples.ts'
import { type ValueCoverage, coverageOf } from '../../signalCells.ts'
import type { EventStudy } from './fields.ts'
import { type StudyWarning, warning } from '../../studyWarnings.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { agree, plural } from '#shared/units/plurals.ts'
import { type CellRows, type StudyPanel, type TimeBlock, timeBlocks } from '../../studyPanel.ts'
import { delayWarnings, type KindRun } from '../../studyInput.ts'

export function run({ study, panel, evaluate, onStage, checkpoint }: KindRun<EventStudy>) {
  const when = evaluate({ field: 'when', formula: study.when })
  const price = evaluate({ field: 'price', formula: study.price, isPrice: true })
  const onShare = (share: number) => onStage('events', share)
  onShare(0)
  const result = runEventStudy(panel, study, { when, price }, checkpoint, onShare)
  return { result, warnings: [...delayWarnings(study.delayBars), ...noEventsWarnings(result.attrition)] }
}

/** Indexes of the times and symbols of events, ordered by time and symbol. */
interface StudyEvents {
  times: Int32Array
  symbols: Int32Array
}

/** Values of an event study's formulas on its panel; prices are positive or missing. */
interface EventMatrices {
  when: CellRows<Float64Array>
  price: CellRows<Float64Array>
}

/** Runs an event study on the values of its two formulas. */
function runEventStudy(
  panel: StudyPanel,
  study: EventStudy,
  matrices: EventMatrices,
  checkpoint = noCheckpoint,
  onShare: (share: number) => void = () => undefined,
) {
  const { attrition, events, coverage } = findEvents(panel, study, matrices, checkpoint)
  const times = Array.from(events.times, (time) => timeAt(panel, time))
  const countsBy = <Key extends string | number>(keyOf: (timeMs: number) => Key) =>
    groupBy(times, times, keyOf).map(([key, group]) => ({ key, n: group.length }))
  return {
    coverage,
    attrition,
    events: { times, symbols: Array.from(events.symbols, (symbol) => panel.symbols[symbol]) },
    path: new EventPath({ panel, study, price: matrices.price, checkpoint, onShare }, events).points(),
    byMonth: countsBy(monthOf).map(({ key, n }) => ({ month: key, n })),
    byHour: countsBy(hourOf).map(({ key, n }) => ({ hour: key, n })),
    byWeekday: countsBy(weekdayOf).map(({ key, n }) => ({ weekday: key, n })),
    bySymbol: countBySymbol(panel, events),
  }
}

const lostEventNames = {
  notEdge: 'true also one bar before',
  notMember: 'no member',
  cooldown: 'within the cooldown',
  beyondEnd: 'with an entry beyond the end',
  noEntryPrice: 'without an entry price',
}

/** Warns if there is no event, and names the most frequent reason. */
function noEventsWarnings(
  attrition: Record<keyof typeof lostEventNames | 'trueCells' | 'used', number>,
): StudyWarning[] {
  if (attrition.used > 0) return []
  if (attrition.trueCells === 0) return [warning('no-events', 'The condition is true in none of the cells.')]
  const names = Object.keys(lostEventNames) as (keyof typeof lostEventNames)[]
  const [most] = names.sort((a, b) => attrition[b] - attrition[a])
  return [
    warning(
      'no-events',
      `Of ${plural(attrition.trueCells, 'true cell')}, ${formatNumber(attrition[most], 0)} ${agree(attrition[most], 'is', 'are')} ${lostEventNames[most]}, which is the largest count.`,
    ),
  ]
}

/** Memory per event in a result and its copies, in bytes. */
const BYTES_PER_EVENT = 128
const MOST_EVENTS = 2 ** 23

/** Growing list of indexes that doubles its capacity. */
class IndexList {
  #places = new Int32Array(1024)
  count = 0

  add(place: number): void {
    if (this.count === this.#places.length) {
      const larger = new Int32Array(2 * this.count)
      larger.set(this.#places)
      this.#places = larger
    }
    this.#places[this.count++] = place
  }

  places(): Int32Array {
    return this.#places.subarray(0, this.count)
  }
}

/** Finds the events, ordered by time and symbol, and counts every other true cell by its reason for exclusion. */
export function findEvents(
  panel: StudyPanel,
  study: EventStudy,
  { when: whenMatrix, price: priceMatrix }: EventMatrices,
  checkpoint = noCheckpoint,
) {
  const { timeCount, symbols } = panel
  const width = symbols.length
  const attrition = { trueCells: 0, notEdge: 0, notMember: 0, cooldown: 0, beyondEnd: 0, noEntryPrice: 0, used: 0 }
  const found = { times: new IndexList(), symbols: new IndexList() }
  const wasTrue = new Uint8Array(width)
  const lastTime = new Float64Array(width).fill(-Infinity)
  let memberCount = 0
  let presentCount = 0
  for (const { from, to } of timeBlocks(panel)) {
    const when = whenMatrix.rows(from, to)
    const price = priceMatrix.rows(from, Math.min(timeCount, to + study.delayBars))
    const member = panel.member?.rows(from, to)
    for (let time = from, cell = 0; time < to; time++) {
      if (time % TIMES_PER_CHECKPOINT === 0) checkpoint()
      for (let symbol = 0; symbol < width; symbol++, cell++) {
        const isPresent = when[cell] === when[cell]
        const isTrue = isPresent && when[cell] !== 0
        const before = wasTrue[symbol]
        wasTrue[symbol] = isTrue ? 1 : 0
        const isNonMember = member !== undefined && member[cell] === 0
        if (!isNonMember) {
          memberCount++
          if (isPresent) presentCount++
        }
        if (!isTrue) continue
        attrition.trueCells++
        const exclusion = exclusionOf(study, { wasTrue: before === 1, isNonMember, time, lastTime: lastTime[symbol] })
        if (exclusion !== null) attrition[exclusion]++
        else {
          lastTime[symbol] = time
          if (time + study.delayBars >= timeCount) attrition.beyondEnd++
          else if (Number.isNaN(price[cell + study.delayBars * width])) attrition.noEntryPrice++
          else {
            found.times.add(time)
            found.symbols.add(symbol)
          }
        }
      }
    }
    refuseTooManyEvents(found.times.count)
  }
  attrition.used = found.times.count
  const events: StudyEvents = { times: found.times.places(), symbols: found.symbols.places() }
  const coverage: ValueCoverage = coverageOf(memberCount, presentCount)
  return { attrition, events, coverage }
}

interface TrueCell {
  /** True if the condition was true one bar earlier. */
  wasTrue: boolean
  isNonMember: boolean
  time: number
  /** Index of the time of the symbol’s last true cell that was not excluded. */
  lastTime: number
}

/** Returns why a true cell is not an event, regardless of prices; null if it may be one. */
function exclusionOf(
  { edge, cooldownBars }: EventStudy,
  { wasTrue, isNonMember, time, lastTime }: TrueCell,
): 'notEdge' | 'notMember' | 'cooldown' | null {
  if (edge && wasTrue) return 'notEdge'
  if (isNonMember) return 'notMember'
  return time <= lastTime + cooldownBars ? 'cooldown' : null
}

const isTrueValue = (value: number): boolean => !Number.isNaN(value) && value !== 0

/**
 * Returns why the last cell of a symbol is not an event, regardless of prices; null if it may be one. The condition
 * must be true in this cell.
 */
export function exclusionOfLast(
  study: EventStudy,
  { when, member }: { when: Float64Array; member: Uint8Array | null },
): ReturnType<typeof exclusionOf> {
  let exclusion: ReturnType<typeof exclusionOf> = null
  let lastTime = -Infinity
  for (let time = 0; time < when.length; time++) {
    if (!isTrueValue(when[time])) continue
    const wasTrue = time > 0 && isTrueValue(when[time - 1])
    exclusion = exclusionOf(study, { wasTrue, isNonMember: member !== null && member[time] === 0, time, lastTime })
    if (exclusion === null) lastTime = time
  }
  return exclusion
}

function refuseTooManyEvents(count: number): void {
  if (count <= MOST_EVENTS) return
  const memoryText = (events: number) => gibText(events * BYTES_PER_EVENT)
  throw new PanelError(
    `the study has at least ${count} events, which need over ${memoryText(count)} of memory; the limit is ${memoryText(MOST_EVENTS)}. Make “when” true less often, set edge or cooldownBars, or narrow start and end.`,
  )
}

interface PathContext {
  panel: StudyPanel
  study: EventStudy
  price: CellRows<Float64Array>
  checkpoint: Checkpoint
  onShare: (share: number) => void
}

/**
 * Maximum number of price changes in memory at once. If there are more, the offsets are processed in batches, and the
 * blocks are read again for each batch.
 */
const MOST_CHANGES = 2 ** 23

/** Averages price changes relative to the entry over all events that have the price. */
class EventPath {
  readonly #context: PathContext
  readonly #events: StudyEvents

  constructor(context: PathContext, events: StudyEvents) {
    this.#context = context
    this.#events = events
  }

  get #offsets(): number[] {
    const { before, after } = this.#context.study
    return Array.from({ length: before + after + 1 }, (_, at) => at - before)
  }

  /** Computes the changes of every event by offset. Keeps all in memory, so use it for few events only. */
  changes(): Float64Array[] {
    return this.#changesAt(this.#offsets)
  }

  points() {
    const offsets = this.#offsets
    const batchSize = Math.max(1, Math.floor(MOST_CHANGES / Math.max(1, this.#events.times.length)))
    const points: ({ offset: number } & ReturnType<typeof pathPoint>)[] = []
    for (let start = 0; start < offsets.length; start += batchSize) {
      this.#context.onShare(start / offsets.length)
      const batch = offsets.slice(start, start + batchSize)
      const changes = this.#changesAt(batch)
      batch.forEach((offset, at) => {
        this.#context.checkpoint()
        points.push({ offset, ...pathPoint(changes[at], this.#events.times) })
      })
    }
    return points
  }

  /** Computes the change of every event at consecutive offsets; NaN if a price is missing. */
  #changesAt(offsets: readonly number[]): Float64Array[] {
    const { panel, study, price, checkpoint } = this.#context
    const { times, symbols } = this.#events
    const changes = offsets.map(() => new Float64Array(times.length))
    let event = 0
    for (const { from, to } of timeBlocks(panel)) {
      const end = firstEventFrom(times, event, to)
      if (end === event) continue
      const startTime = Math.max(0, from + study.delayBars + Math.min(0, offsets[0]))
      const endTime = Math.min(panel.timeCount, to + study.delayBars + Math.max(0, offsets[offsets.length - 1]))
      const rows = { startTime, endTime, cells: price.rows(startTime, endTime), width: panel.symbols.length }
      const market = study.adjust === 'market' ? new MarketMean(panel, rows, { from, to }) : null
      for (; event < end; event++) {
        if (event % TIMES_PER_CHECKPOINT === 0) checkpoint()
        const entry = times[event] + study.delayBars
        for (let at = 0; at < offsets.length; at++) {
          const change = changeOf(rows, entry, offsets[at], symbols[event])
          changes[at][event] =
            market && change === change ? change - market.change(times[event], entry, offsets[at]) : change
        }
      }
    }
    return changes
  }
}

/** Computes the change of each event at every offset, adjusted as the study requests; null if a price is missing. */
export function eventChanges(
  panel: StudyPanel,
  study: EventStudy,
  price: EventMatrices['price'],
  events: StudyEvents,
): (number | null)[][] {
  const context = { panel, study, price, checkpoint: noCheckpoint, onShare: () => undefined }
  const changesByOffset = new EventPath(context, events).changes()
  return Array.from(events.times, (_, event) =>
    changesByOffset.map((changes) => (Number.isNaN(changes[event]) ? null : changes[event])),
  )
}

/** Returns the index of the first event at or after a time, searching from the index `event`. */
function firstEventFrom(times: Int32Array, event: number, time: number): number {
  let end = event
  while (end < times.length && times[end] < time) end++
  return end
}

/** Prices in a range of times. */
interface PriceRows {
  startTime: number
  /** Exclusive end of the range. */
  endTime: number
  cells: Matrix
  width: number
}

/** Computes a symbol's change from its entry to `offset` bars later; NaN if a price is missing. */
function changeOf(
  { startTime, endTime, cells, width }: PriceRows,
  entry: number,
  offset: number,
  symbol: number,
): number {
  const at = entry + offset
  if (at < startTime || at >= endTime) return NaN
  const change = cells[(at - startTime) * width + symbol] / cells[(entry - startTime) * width + symbol] - 1
  return Number.isFinite(change) ? change : NaN
}

/**
 * Computes the mean change over the symbols that are members at an event's time. Caches the means of the latest event
 * time by offset.
 */
class MarketMean {
  readonly #rows: PriceRows
  readonly #from: number
  readonly #member: Uint8Array | undefined
  readonly #changeByOffset = new Map<number, number>()
  #time = -1

  constructor(panel: StudyPanel, rows: PriceRows, { from, to }: TimeBlock) {
    this.#rows = rows
    this.#from = from
    this.#member = panel.member?.rows(from, to)
  }

  change(time: number, entry: number, offset: number): number {
    if (time !== this.#time) this.#changeByOffset.clear()
    this.#time = time
    const change = this.#changeByOffset.get(offset) ?? this.#mean(time, entry, offset)
    this.#changeByOffset.set(offset, change)
    return change
  }

  #mean(time: number, entry: number, offset: number): number {
    const { width } = this.#rows
    let sum = 0
    let count = 0
    for (let symbol = 0; symbol < width; symbol++) {
      if (this.#member && !this.#member[(time - this.#from) * width + symbol]) continue
      const change = changeOf(this.#rows, entry, offset, symbol)
      if (change !== change) continue
      sum += change
      count++
    }
    return sum / count
  }
}

/** Summarises the changes of all events, ordered by time, at one offset; NaN is a missing change. */
function pathPoint(changes: Float64Array, eventTimes: Int32Array) {
  const ascending = changes.filter((change) => !Number.isNaN(change)).sort()
  const n = ascending.length
  let total = 0
  const means: number[] = []
  for (let start = 0; start < changes.length;) {
    let end = start
    let sum = 0
    let largestDistance = 0
    let count = 0
    for (; end < changes.length && eventTimes[end] === eventTimes[start]; end++) {
      if (Number.isNaN(changes[end])) continue
      sum += changes[end]
      largestDistance = Math.max(largestDistance, Math.abs(changes[end]))
      count++
    }
    start = end
    if (count === 0) continue
    total += sum
    // If all members have an event, their changes against the market add up to 0 but for rounding errors.
    means.push(Math.abs(sum) <= ROUNDING_FRACTION * largestDistance ? 0 : sum / count)
  }
  return {
    n,
    mean: n === 0 ? null : total / n,
    median: quantileOf(ascending, 0.5),
    q25: quantileOf(ascending, 0.25),
    q75: quantileOf(ascending, 0.75),
    byTime: estimateOf(Float64Array.from(means)),
  }
}

function countBySymbol({ symbols }: StudyPanel, events: StudyEvents) {
  const counts = new Int32Array(symbols.length)
  for (const symbol of events.symbols) counts[symbol]++
  return symbols.flatMap((symbol, at) => (counts[at] === 0 ? [] : [{ symbol, n: counts[at] }]))
}
