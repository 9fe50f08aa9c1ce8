/**
 * Answers requests for raw events. The catalog document needs no key. The documentation describes no listing of files,
 * so this service has both that were seen elsewhere; both dates are inclusive, and `missing_periods` lists the periods
 * of the range without a file: before the listing, after the delisting, in a gap, or not published yet (a day's files
 * appear ten minutes after its end).
 * - GET /api/v1/data/raw/<dataset>?exchange=&symbol=&start_date=&end_date= (X-API-KEY of a tier with raw events, at most
 *   366 days) → { "files": [{ "period": "2026-08-01", "url", "size" }], "missing_periods", "expires_in": 3600,
 *   "schema_version": 1 }
 * - GET /api/v1/data/raw/preview/<dataset>, the same for any key or none, but only for the preview of the
 *   catalog
 * - GET /api/v1/raw/files?dataset=&exchange=&symbol=&start_date=&end_date= (X-API-KEY of any tier) → { "files": [{
 *   "period": "2026-08-01", "year", "month", "day"?, "url" }], "missing_periods": ["2026-08-02"] }
 */
import { dailyFilesFrom } from '#shared/catalog/dailyFiles.ts'
import { isRawDatasetId, rawDatasets, type RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { Period } from '#shared/time/periods.ts'
import { RAW_EVENTS_TIER } from '../access/datasets.ts'
import { RAW_LINK_LIFETIME_SECONDS } from '../access/links.ts'
import { coveredDays, daysOfPeriod, periodFields, periodsBetween, rawUntilMs } from '../files/periods.ts'
import { rawFileBytes } from '../files/rawSizes.ts'
import type { StoredFileName } from '../files/storagePath.ts'
import { json, type Reply } from '../http/reply.ts'
import { ApiRefusal, PLANS_PAGE } from '../refusal.ts'
import { findInstrument, hasSource } from '../market/instruments.ts'
import { Memo } from '../market/memo.ts'
import type { SandboxContext } from './context.ts'
import { linkTo } from './links.ts'
import { daysParameter, previewQuery, required, symbolOf, venueOf } from './parameters.ts'

/** Largest number of days of a request to `/data/raw`. */
const MOST_DAYS = 366

const documents = new Memo<string, Buffer>(2)

/**
 * Answers GET /raw/catalog.json and GET /api/v1/metadata/raw; the document changes once a day, when the files of the
 * previous day are published.
 */
export async function answerRawCatalog(context: SandboxContext): Promise<Reply> {
  const { seed, venues, clock, faults } = context
  const { dailyFilesFrom: dailyFrom = dailyFilesFrom, rawEvents } = faults.current
  const task = { seed, venues, untilMs: rawUntilMs(clock.now()), dailyFrom, hasDetails: rawEvents !== 'old' }
  const key = JSON.stringify(task)
  const document = documents.has(key) ? null : Buffer.from(await context.writeRawCatalog(task))
  const body = documents.get(key, () => document!)
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}

interface RawListing {
  files: { name: StoredFileName & { kind: 'raw' }; sizeBytes: number }[]
  missingPeriods: Period[]
}

/** Lists the files of a range, and the periods of the range without one. */
function listRawFiles(
  context: SandboxContext,
  dataset: RawDatasetId,
  query: URLSearchParams,
  mostDays?: number,
): RawListing {
  const { seed, clock, faults } = context
  const venue = venueOf(context, query)
  const symbol = symbolOf(query)
  const { startDay, endDay } = daysParameter(query, mostDays)
  const found = findInstrument(seed, venue, symbol)
  const instrument = found && hasSource(found, dataset) ? found : null
  const untilMs = rawUntilMs(clock.now())
  const { bothPartitions, dailyFilesFrom: dailyFrom } = faults.current
  const listing: RawListing = { files: [], missingPeriods: [] }
  for (const period of periodsBetween(startDay, endDay, bothPartitions, dailyFrom)) {
    const days = instrument ? coveredDays(instrument, daysOfPeriod(period), untilMs) : []
    if (!instrument || days.length === 0) {
      listing.missingPeriods.push(period)
      continue
    }
    const name = { kind: 'raw', dataset, venue, symbol, period } as const
    listing.files.push({ name, sizeBytes: rawFileBytes({ seed, dataset }, instrument, days) })
  }
  return listing
}

function rawDatasetOf(id: string): RawDatasetId {
  if (isRawDatasetId(id)) return id
  throw new ApiRefusal(404, 'unknown_dataset', `there is no dataset ${id}`, { dataset: id })
}

/** Answers GET /api/v1/data/raw/<dataset>. */
export function answerRawData(context: SandboxContext, dataset: string, query: URLSearchParams, tier: number): Reply {
  const listing = listRawFiles(context, rawDatasetOf(dataset), query, MOST_DAYS)
  if (tier < RAW_EVENTS_TIER) {
    const message = `the plan of this key (Tier ${tier}) has no raw events`
    throw new ApiRefusal(403, 'raw_not_in_plan', message, { required_tier: RAW_EVENTS_TIER, tier }, PLANS_PAGE)
  }
  return rawListingReply(context, listing)
}

/** Answers GET /api/v1/data/raw/preview/<dataset>. */
export function answerRawPreview(context: SandboxContext, dataset: string, query: URLSearchParams): Reply {
  const id = rawDatasetOf(dataset)
  return rawListingReply(context, listRawFiles(context, id, previewQuery(context, query)))
}

function rawListingReply(context: SandboxContext, { files, missingPeriods }: RawListing): Reply {
  return json(200, {
    files: files.map(({ name, sizeBytes }) => ({
      period: name.period,
      url: linkTo(context, name, RAW_LINK_LIFETIME_SECONDS),
      size: sizeBytes,
    })),
    missing_periods: missingPeriods,
    expires_in: context.faults.current.linkLifetimeSeconds ?? RAW_LINK_LIFETIME_SECONDS,
    schema_version: 1,
  })
}

/** Answers GET /api/v1/raw/files. */
export function answerRawFiles(context: SandboxContext, query: URLSearchParams): Reply {
  const dataset = required(query, 'dataset')
  if (!isRawDatasetId(dataset)) {
    const allowed = rawDatasets.map(({ id }) => id)
    const message = `dataset must be one of ${allowed.join(', ')}`
    throw new ApiRefusal(400, 'invalid_parameter', message, { parameter: 'dataset', allowed })
  }
  const { files, missingPeriods } = listRawFiles(context, dataset, query)
  return json(200, {
    files: files.map(({ name }) => ({
      period: name.period,
      ...periodFields(name.period),
      url: linkTo(context, name),
    })),
    missing_periods: missingPeriods,
  })
}
