import { intervalTier, isInterval } from '#shared/catalog/intervals.ts'
import {
  periodCoverage,
  coveredDays,
  daysOfPeriod,
  metricsUntilMs,
  periodFields,
  periodsBetween,
} from '../files/periods.ts'
import type { StoredFileName } from '../files/storagePath.ts'
import type { Day } from '#shared/time.ts'
import { servesLocalTime } from '../files/localTimes.ts'
import { json, type Reply } from '../http/reply.ts'
import { ApiRefusal } from '../refusal.ts'
import { findInstrument, hasSource, instrumentsOf } from '../market/instruments.ts'
import { datasetTier, drivingSourceOf, isDataset, metricEntries } from '../access/datasets.ts'
import type { SandboxContext } from './context.ts'
import { linkTo } from './links.ts'
import { daysParameter, intervalParameter, previewQuery, symbolOf, timestampOf, venueOf } from './parameters.ts'

/** Answers GET /metadata/catalog. */
export function answerCatalog({ faults }: SandboxContext): Reply {
  return json(200, { metrics: metricEntries(faults.current.unknownDataset ?? false) })
}

/** Answers GET /metadata/symbols: the symbols that have data on the venue so far. */
export function answerSymbols(context: SandboxContext, query: URLSearchParams): Reply {
  const { seed, clock } = context
  const venue = venueOf(context, query)
  const untilMs = metricsUntilMs(clock.now())
  const listed = instrumentsOf(seed, venue).filter((instrument) => periodCoverage(instrument, untilMs))
  return json(200, { symbols: listed.map(({ symbol }) => symbol), exchange: venue.id })
}

function requireTier(tier: number, neededTier: number, subject: string): void {
  if (tier >= neededTier) return
  const message = `${subject} requires a Tier ${neededTier} subscription; this key is Tier ${tier}`
  throw new ApiRefusal(403, 'tier_required', message, { required_tier: neededTier, tier })
}

/** Answers GET /data/<dataset>. */
export function answerData(context: SandboxContext, dataset: string, query: URLSearchParams, tier: number): Reply {
  const request = metricRequestOf(context, dataset, query)
  const { interval } = request
  requireTier(tier, datasetTier(dataset), `dataset ${dataset}`)
  if (isInterval(interval)) requireTier(tier, intervalTier(interval), `interval ${interval}`)
  return listMetricFiles(context, request)
}

/** Answers GET /data/preview/<dataset>, for any interval and any key or none. */
export function answerPreview(context: SandboxContext, dataset: string, query: URLSearchParams): Reply {
  return listMetricFiles(context, metricRequestOf(context, dataset, previewQuery(context, query)))
}

type MetricRequest = Omit<StoredFileName & { kind: 'metrics' }, 'period'> & { startDay: Day; endDay: Day }

function metricRequestOf({ venues, faults }: SandboxContext, dataset: string, query: URLSearchParams): MetricRequest {
  const withUndocumented = faults.current.unknownDataset ?? false
  if (!isDataset(dataset, withUndocumented)) {
    throw new ApiRefusal(404, 'unknown_dataset', `there is no dataset ${dataset}`, { dataset })
  }
  const timestamp = timestampOf(query)
  const interval = intervalParameter(query, withUndocumented)
  const venue = venueOf({ venues }, query)
  return { kind: 'metrics', dataset, timestamp, interval, venue, symbol: symbolOf(query), ...daysParameter(query) }
}

function listMetricFiles(context: SandboxContext, { startDay, endDay, ...name }: MetricRequest): Reply {
  const { faults, seed, clock } = context
  const instrument = findInstrument(seed, name.venue, name.symbol)
  if (!instrument || !hasSource(instrument, drivingSourceOf(name.dataset))) return json(200, { files: [] })
  if (name.timestamp === 'true' && !servesLocalTime(seed, instrument)) return json(200, { files: [] })
  const untilMs = metricsUntilMs(clock.now())
  const { bothPartitions, dailyFilesFrom } = faults.current
  const files = periodsBetween(startDay, endDay, bothPartitions, dailyFilesFrom)
    .filter((period) => coveredDays(instrument, daysOfPeriod(period), untilMs).length > 0)
    .map((period) => ({ ...periodFields(period), url: linkTo(context, { ...name, period }) }))
  return json(200, { files })
}
