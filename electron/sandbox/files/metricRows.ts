import { parsePeriod } from '#shared/catalog/partitions.ts'
import type { EventSource, MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { createBucketComputer } from '#shared/metrics/bucketComputer.ts'
import type { EventsOf } from '#shared/metrics/events.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { addDays, parseInterval, type Day } from '#shared/time.ts'
import { marketDayOf } from '../events/marketDay.ts'
import { dayNumberOf } from '../market/days.ts'
import { findInstrument } from '../market/instruments.ts'
import { DayFeed } from './dayFeed.ts'
import type { MetricFileJob } from './fileJob.ts'
import { coveredDays, startMsOf } from './periods.ts'

/**
 * The rows of several datasets over a job's period, by the metric engine from the same events as the raw files. The day
 * before the period is fed too: quotes and prices are looked up there, and some of its events arrive after midnight.
 */
export function computeMetricRows(job: MetricFileJob, datasets: readonly MetricDatasetId[]): MetricRows[] {
  const instrument = findInstrument(job.seed, job.venue, job.symbol)
  const partition = parsePeriod(job.period)
  const intervalSeconds = parseInterval(job.interval)
  if (!instrument || !partition || !intervalSeconds) throw new RangeError(`no such file: ${JSON.stringify(job)}`)
  const startMs = startMsOf(partition.startDay)
  const intervalMs = intervalSeconds * 1000
  const endMs = startMs + Math.ceil((job.untilMs - startMs) / intervalMs) * intervalMs
  const days = coveredDays(instrument, addDays(partition.startDay, -1), partition.endDay, job.untilMs)
  const computer = createBucketComputer({ datasets, intervalSeconds, startUs: startMs * 1000, endUs: endMs * 1000 })

  const eventsOf = (feed: DayFeed, day: Day) => {
    const events = marketDayOf(job.seed, instrument, dayNumberOf(day), job.revision)
    return feed.next(events, Math.min(startMsOf(addDays(day, 1)), job.untilMs) * 1000)
  }
  const feeds = new Map<EventSource, { feed: DayFeed; at: number }>()
  for (let source = computer.wants(); source; source = computer.wants()) {
    const progress = feeds.get(source) ?? { feed: new DayFeed(source, job.timestamp), at: 0 }
    feeds.set(source, progress)
    if (progress.at === days.length) computer.end(source)
    else computer.push(source, eventsOf(progress.feed, days[progress.at++]) as unknown as EventsOf[typeof source])
  }
  return computer.take()
}
