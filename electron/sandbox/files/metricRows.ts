import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { metricDataset, type EventSource, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { createBucketComputer } from '#shared/metrics/bucketComputer.ts'
import type { EventsOf } from '#shared/metrics/events.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import { marketDayOf } from '../events/marketDay.ts'
import { findInstrument } from '../market/instruments.ts'
import { DayFeed } from './dayFeed.ts'
import type { MetricFileJob } from './fileJob.ts'
import { coveredDays, daysOfPeriod } from './periods.ts'

/**
 * Tells whether the day before a period matters, because by arrival time its last events come after midnight and a mark
 * price is compared with the last trade. Trades need no quote of the day before, because each day opens with one.
 */
const looksBack = (timestamp: TimestampSource, datasets: readonly MetricDatasetId[]) =>
  timestamp === 'true' || datasets.some((id) => metricDataset(id).driving === 'mark_price')

/**
 * Computes the rows of several datasets over a job's period, piece by piece in time order, with the metric engine and
 * from the same events as the raw files.
 */
export function* computeMetricRows(job: MetricFileJob, datasets: readonly MetricDatasetId[]): Generator<MetricRows[]> {
  const instrument = findInstrument(job.seed, job.venue, job.symbol)
  const intervalSeconds = parseInterval(job.interval)
  if (!instrument || !intervalSeconds) throw new RangeError(`no such file: ${JSON.stringify(job)}`)
  const period = daysOfPeriod(job.period)
  const startMs = period.start * MS_PER_DAY
  const intervalMs = intervalSeconds * 1000
  const endMs = startMs + Math.ceil((job.untilMs - startMs) / intervalMs) * intervalMs
  const days = coveredDays(
    instrument,
    { start: period.start - (looksBack(job.timestamp, datasets) ? 1 : 0), end: period.end },
    job.untilMs,
  )
  const computer = createBucketComputer({ datasets, intervalSeconds, startUs: startMs * 1000, endUs: endMs * 1000 })

  const eventsOf = (feed: DayFeed, day: DayNumber) => {
    const events = marketDayOf(job.seed, instrument, day, job.revision)
    return feed.next(events, Math.min((day + 1) * MS_PER_DAY, job.untilMs) * 1000)
  }
  const feeds = new Map<EventSource, { feed: DayFeed; at: number }>()
  for (let source = computer.wants(); source; source = computer.wants()) {
    const progress = feeds.get(source) ?? { feed: new DayFeed(source, job.timestamp), at: 0 }
    feeds.set(source, progress)
    if (progress.at === days.length) computer.end(source)
    else computer.push(source, eventsOf(progress.feed, days[progress.at++]) as unknown as EventsOf[typeof source])
    yield computer.take()
  }
  yield computer.take()
}
