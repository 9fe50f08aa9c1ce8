/**
 * Answers requests for raw events. The catalog document is at `/raw/catalog.json` and needs no key. Files are listed by
 * an endpoint that only this service has, because the documentation describes none:
 * GET /api/v1/raw/files?dataset=&exchange=&symbol=&start_date=&end_date= (X-API-KEY of any tier) → { "files": [{
 * "period": "2026-08-01", "year", "month", "day"?, "url" }], "missing_periods": ["2026-08-02"] }
 * Both dates are inclusive. `missing_periods` lists the periods of the range without a file: before the listing, after
 * the delisting, in a gap, or not published yet (a day's files appear ten minutes after its end).
 */
import { dailyFilesFrom } from '#shared/catalog/dailyFiles.ts'
import { isRawDatasetId, rawColumns, rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import {
  coverageOf,
  coveredDays,
  daysOfPeriod,
  periodFields,
  periodsBetween,
  RAW_DELAY_MS,
  rawUntilMs,
} from '../files/periods.ts'
import { json, type Reply } from '../http/reply.ts'
import { ApiRefusal } from '../refusal.ts'
import { findInstrument, instrumentsOf } from '../market/instruments.ts'
import { Memo } from '../market/memo.ts'
import type { SandboxVenue, VenueKind } from '../market/venues.ts'
import type { SandboxContext } from './context.ts'
import { linkTo } from './links.ts'
import { daysOf, required, symbolOf, venueOf } from './parameters.ts'

const descriptors = (venues: readonly SandboxVenue[]) =>
  rawDatasets.map(({ id, name, description }) => ({
    id,
    name,
    description,
    exchanges: venues.map((venue) => venue.id),
    columns: rawColumns(id, false),
  }))

const previewSymbols: Record<VenueKind, string> = {
  'venuea-futures': 'perpetual-BTC-USDT:USDT',
  'venueb-perps': 'perpetual-BTC-USDT:USDT',
  'venuec-perps': 'perpetual-BTC-USD:USDC',
}

function venueCoverage(seed: number, venue: SandboxVenue, untilMs: number) {
  const symbols = instrumentsOf(seed, venue).map(({ symbol }) => symbol)
  return Object.fromEntries(
    symbols.flatMap((symbol) => {
      const instrument = findInstrument(seed, venue, symbol)
      const coverage = instrument && coverageOf(instrument, untilMs)
      return coverage ? [[symbol, coverage] as const] : []
    }),
  )
}

function catalogDocument(seed: number, venues: readonly SandboxVenue[], untilMs: number, dailyFrom: string): string {
  const venueCoverages = venues.map((venue) => [venue.id, venueCoverage(seed, venue, untilMs)] as const)
  const summary = rawDatasets.flatMap(({ id }) =>
    venueCoverages.map(([exchange, symbols]) => {
      const ranges = Object.values(symbols)
      const first = ranges.reduce((least, range) => (range.first < least ? range.first : least), '9999-12-31')
      const last = ranges.reduce((most, range) => (range.last > most ? range.last : most), '0000-01-01')
      return { dataset: id, exchange, symbols: ranges.length, first, last }
    }),
  )
  const coverage = Object.fromEntries(rawDatasets.map(({ id }) => [id, Object.fromEntries(venueCoverages)]))
  return JSON.stringify({
    schema_version: 1,
    daily_files_from: dailyFrom,
    preview: {
      period: new Date(untilMs - MS_PER_DAY).toISOString().slice(0, 7),
      symbols: Object.fromEntries(venues.map(({ id, kind }) => [id, previewSymbols[kind]])),
    },
    datasets: descriptors(venues),
    summary,
    coverage: { generated_at: new Date(untilMs + RAW_DELAY_MS).toISOString(), datasets: coverage },
  })
}

const documents = new Memo<string, Reply['body']>(2)

/** Answers GET /raw/catalog.json; the document changes once a day, when the files of the previous day are published. */
export function answerRawCatalog({ seed, venues, clock, faults }: SandboxContext): Reply {
  const untilMs = rawUntilMs(clock.now())
  const { dailyFilesFrom: dailyFrom = dailyFilesFrom } = faults.current
  const body = documents.get(`${seed} ${JSON.stringify(venues)} ${untilMs} ${dailyFrom}`, () =>
    Buffer.from(catalogDocument(seed, venues, untilMs, dailyFrom)),
  )
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}

/** Answers GET /api/v1/raw/files. */
export function answerRawFiles(context: SandboxContext, query: URLSearchParams): Reply {
  const dataset = required(query, 'dataset')
  if (!isRawDatasetId(dataset)) {
    const allowed = rawDatasets.map(({ id }) => id)
    const message = `dataset must be one of ${allowed.join(', ')}`
    throw new ApiRefusal(400, 'invalid_parameter', message, { parameter: 'dataset', allowed })
  }
  const venue = venueOf(context, query)
  const symbol = symbolOf(query)
  const { startDay, endDay } = daysOf(query)
  const instrument = findInstrument(context.seed, venue, symbol)
  const untilMs = rawUntilMs(context.clock.now())
  const { bothPartitions, dailyFilesFrom: dailyFrom } = context.faults.current
  const periods = periodsBetween(startDay, endDay, bothPartitions, dailyFrom)
  const availablePeriods = new Set(
    instrument ? periods.filter((period) => coveredDays(instrument, daysOfPeriod(period), untilMs).length > 0) : [],
  )
  const files = [...availablePeriods].map((period) => ({
    period,
    ...periodFields(period),
    url: linkTo(context, { kind: 'raw', dataset, venue, symbol, period }),
  }))
  return json(200, { files, missing_periods: periods.filter((period) => !availablePeriods.has(period)) })
}
