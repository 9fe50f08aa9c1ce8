import type { EventColumns } from '#shared/metrics/events.ts'
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import { servedColumnsOf } from '../access/datasets.ts'
import { marketDayOf } from '../events/marketDay.ts'
import { findInstrument } from '../market/instruments.ts'
import { DayFeed } from './dayFeed.ts'
import type { GeneratedRows } from './fileRows.ts'
import type { MetricFileRecipe } from './fileRecipe.ts'
import { coveredDays, daysOfPeriod } from './periods.ts'

/** Sources of the prices in the order of the columns, and the field that has them. */
const sources = [
  ['trades', 'price'],
  ['index_price', 'value'],
  ['mark_price', 'value'],
] as const

/** Computes the rows of `derivative_price` day by day, one for every interval of a day that has begun. */
export function* derivativePriceRows(recipe: MetricFileRecipe): Generator<GeneratedRows> {
  const { seed, venue, symbol, timestamp, untilMs, revision } = recipe
  const instrument = findInstrument(seed, venue, symbol)
  const intervalSeconds = parseInterval(recipe.interval)
  if (!instrument || !intervalSeconds) throw new RangeError(`no such file: ${JSON.stringify(recipe)}`)
  const period = daysOfPeriod(recipe.period)
  const feeds = sources.map(([source, field]) => ({ feed: new DayFeed(source, timestamp), field }))
  // The last events of the day before arrive on the first day.
  const start = period.start - (timestamp === 'true' ? 1 : 0)
  for (const day of coveredDays(instrument, { start, end: period.end }, untilMs)) {
    const events = marketDayOf(seed, instrument, day, revision)
    const endMs = Math.min((day + 1) * MS_PER_DAY, untilMs)
    const prices = feeds.map(({ feed, field }) => ({ events: feed.next(events, endMs * 1000), field }))
    if (day < period.start) continue
    const startMs = day * MS_PER_DAY
    const count = Math.ceil((endMs - startMs) / (intervalSeconds * 1000))
    const timeMs = Float64Array.from({ length: count }, (_, row) => startMs + row * intervalSeconds * 1000)
    const columns = servedColumnsOf(recipe.dataset).map(() => new Float64Array(count).fill(Number.NaN))
    prices.forEach((price, at) => writePrices(price, timeMs, columns[at], columns[at + prices.length]))
    yield { dataset: recipe.dataset, timeMs, columns }
  }
}

/** Writes the last price of each interval, and its change in percent since the first. */
function writePrices(
  { events, field }: { events: EventColumns; field: string },
  timeMs: Float64Array,
  last: Float64Array,
  change: Float64Array,
): void {
  let row = 0
  let first = Number.NaN
  for (let i = 0; i < events.timeUs.length; i++) {
    while (row + 1 < timeMs.length && events.timeUs[i] >= timeMs[row + 1] * 1000) {
      row++
      first = Number.NaN
    }
    const price = events[field][i]
    if (Number.isNaN(first)) first = price
    last[row] = price
    change[row] = ((price - first) / first) * 100
  }
}
