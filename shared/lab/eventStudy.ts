import { CHECKED_TIMES, type Checkpoint, neverCancelled } from './checkpoint.ts'
import { groupBy, hourOf, monthOf, weekdayOf } from './calendar.ts'
import { type Panel, timeAt } from './panel.ts'
import type { Matrix } from './panelFormula.ts'
import { estimateOf, quantileOf } from './samples.ts'
import { coverageOf, positive } from './signalCells.ts'
import type { EventStudy } from './studyDocument.ts'

/** An event: the places of its time and symbol. */
interface StudyEvent {
  time: number
  symbol: number
}

/** Computes an event study from its two formulas. */
export function studyEvents(
  panel: Panel,
  study: EventStudy,
  { when, price }: { when: Matrix; price: Matrix },
  checkpoint = neverCancelled,
) {
  const prices = positive(price)
  const { attrition, events } = findEvents(panel, study, when, prices, checkpoint)
  const times = events.map(({ time }) => timeAt(panel, time))
  const counted = <Key extends string | number>(keyOf: (timeMs: number) => Key) =>
    groupBy(times, times, keyOf).map(([key, group]) => ({ key, n: group.length }))
  return {
    coverage: coverageOf(panel, when),
    attrition,
    events: { times, symbols: events.map(({ symbol }) => panel.symbols[symbol]) },
    path: pathOf({ panel, price: prices, checkpoint }, study, events),
    byMonth: counted(monthOf).map(({ key, n }) => ({ month: key, n })),
    byHour: counted(hourOf).map(({ key, n }) => ({ hour: key, n })),
    byWeekday: counted(weekdayOf).map(({ key, n }) => ({ weekday: key, n })),
    bySymbol: countBySymbol(panel, events),
  }
}

/** Counts every true cell under its reason, symbol by symbol; what is left are the events, by time and symbol. */
export function findEvents(panel: Panel, study: EventStudy, when: Matrix, price: Matrix, checkpoint = neverCancelled) {
  const attrition = { trueCells: 0, notEdge: 0, notMember: 0, cooldown: 0, beyondEnd: 0, noEntryPrice: 0, used: 0 }
  const events: StudyEvent[] = []
  const { times, symbols, member } = panel
  const width = symbols.length
  const isTrue = (cell: number) => when[cell] === when[cell] && when[cell] !== 0
  for (let symbol = 0; symbol < width; symbol++) {
    checkpoint()
    let last = -Infinity
    for (let time = 0; time < times; time++) {
      const cell = time * width + symbol
      if (!isTrue(cell)) continue
      attrition.trueCells++
      if (study.edge && time > 0 && isTrue(cell - width)) attrition.notEdge++
      else if (member && !member[cell]) attrition.notMember++
      else if (time <= last + study.cooldownBars) attrition.cooldown++
      else {
        last = time
        const entry = time + study.delayBars
        if (entry >= times) attrition.beyondEnd++
        else if (Number.isNaN(price[entry * width + symbol])) attrition.noEntryPrice++
        else events.push({ time, symbol })
      }
    }
  }
  attrition.used = events.length
  events.sort((a, b) => a.time - b.time || a.symbol - b.symbol)
  return { attrition, events }
}

interface PricedPanel {
  panel: Panel
  price: Matrix
  checkpoint: Checkpoint
}

/** Averages the price after an event, relative to the entry, over all events that have it. */
function pathOf({ panel, price, checkpoint }: PricedPanel, study: EventStudy, events: readonly StudyEvent[]) {
  const offsets = Array.from({ length: study.before + study.after + 1 }, (_, at) => at - study.before)
  return offsets.map((offset) => {
    const changes: number[] = []
    const eventTimes: number[] = []
    let market = NaN
    let marketTime = -1
    for (const [at, { time, symbol }] of events.entries()) {
      if (at % CHECKED_TIMES === 0) checkpoint()
      const change = changeOf(panel, price, time + study.delayBars, offset, symbol)
      if (Number.isNaN(change)) continue
      if (study.adjust === 'market' && time !== marketTime) {
        market = marketChange(panel, price, time, study.delayBars, offset)
        marketTime = time
      }
      changes.push(study.adjust === 'market' ? change - market : change)
      eventTimes.push(time)
    }
    return { offset, ...pathPoint(changes, eventTimes) }
  })
}

/** Change of a symbol from its entry to `offset` bars later; NaN where a price is missing. */
function changeOf({ times, symbols }: Panel, price: Matrix, entry: number, offset: number, symbol: number): number {
  const at = entry + offset
  if (at < 0 || at >= times) return NaN
  const change = price[at * symbols.length + symbol] / price[entry * symbols.length + symbol] - 1
  return Number.isFinite(change) ? change : NaN
}

/** Mean change over the symbols that are members at the time of the event. */
function marketChange(panel: Panel, price: Matrix, time: number, delay: number, offset: number): number {
  const { symbols, member } = panel
  let sum = 0
  let count = 0
  for (let symbol = 0; symbol < symbols.length; symbol++) {
    if (member && !member[time * symbols.length + symbol]) continue
    const change = changeOf(panel, price, time + delay, offset, symbol)
    if (change !== change) continue
    sum += change
    count++
  }
  return sum / count
}

/** Summarises the changes at one offset; events are in order of time. */
function pathPoint(changes: readonly number[], eventTimes: readonly number[]) {
  const ascending = Float64Array.from(changes).sort()
  const n = changes.length
  let total = 0
  const means: number[] = []
  for (let start = 0; start < n;) {
    let end = start
    let sum = 0
    for (; end < n && eventTimes[end] === eventTimes[start]; end++) sum += changes[end]
    total += sum
    means.push(sum / (end - start))
    start = end
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

function countBySymbol({ symbols }: Panel, events: readonly StudyEvent[]) {
  const counts = new Int32Array(symbols.length)
  for (const { symbol } of events) counts[symbol]++
  return symbols.flatMap((symbol, at) => (counts[at] === 0 ? [] : [{ symbol, n: counts[at] }]))
}
