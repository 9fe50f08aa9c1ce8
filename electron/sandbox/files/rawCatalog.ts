import { rawColumns, rawDatasets, type RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { Day } from '#shared/time.ts'
import { instrumentsOf } from '../market/instruments.ts'
import type { SandboxVenue } from '../market/venues.ts'
import { previewMonth, previewSymbol } from './preview.ts'
import { coverageOf, missingDays, RAW_DELAY_MS } from './periods.ts'
import { allRawBytes, type BytesByVenue } from './rawSizes.ts'

/** Everything on which the catalog of raw events depends. */
export interface RawCatalogTask {
  seed: number
  venues: readonly SandboxVenue[]
  untilMs: number
  dailyFrom: Day
  /** True to state the missing days and the bytes of each symbol, which the catalog of release 0.2.0 does not. */
  hasDetails: boolean
}

interface CoverageEntry {
  first: Day
  last: Day
  days: number
  /** Days without data between the first and the last; absent if there are none. */
  missing?: Day[]
}

function venueCoverage({ seed, untilMs, hasDetails }: RawCatalogTask, venue: SandboxVenue) {
  return instrumentsOf(seed, venue).flatMap((instrument): [symbol: string, entry: CoverageEntry][] => {
    const coverage = coverageOf(instrument, untilMs)
    if (!coverage) return []
    const missing = hasDetails ? missingDays(instrument, coverage) : []
    return [[instrument.symbol, { ...coverage, ...(missing.length > 0 && { missing }) }]]
  })
}

/** Writes the catalog document. */
export function rawCatalogDocument(task: RawCatalogTask): string {
  const { seed, venues, untilMs, dailyFrom, hasDetails } = task
  const venueCoverages = venues.map((venue) => [venue.id, venueCoverage(task, venue)] as const)
  const bytes = hasDetails ? allRawBytes(seed, venues, untilMs) : null
  const summary = rawDatasets.flatMap(({ id }) =>
    venueCoverages.map(([exchange, symbols]) => {
      const first = symbols.reduce((least, [, range]) => (range.first < least ? range.first : least), '9999-12-31')
      const last = symbols.reduce((most, [, range]) => (range.last > most ? range.last : most), '0000-01-01')
      return { dataset: id, exchange, symbols: symbols.length, first, last }
    }),
  )
  return JSON.stringify({
    schema_version: 1,
    daily_files_from: dailyFrom,
    preview: {
      period: previewMonth(untilMs),
      symbols: Object.fromEntries(venues.map((venue) => [venue.id, previewSymbol(venue)])),
    },
    datasets: rawDatasets.map(({ id, name, description }) => ({
      id,
      name,
      description,
      exchanges: venues.map((venue) => venue.id),
      columns: rawColumns(id, false),
    })),
    summary,
    coverage: {
      generated_at: new Date(untilMs + RAW_DELAY_MS).toISOString(),
      datasets: Object.fromEntries(rawDatasets.map(({ id }) => [id, datasetCoverage(id, venueCoverages, bytes)])),
    },
  })
}

const datasetCoverage = (
  dataset: RawDatasetId,
  venueCoverages: readonly (readonly [exchange: string, symbols: readonly (readonly [string, CoverageEntry])[]])[],
  bytes: BytesByVenue | null,
) =>
  Object.fromEntries(
    venueCoverages.map(([exchange, symbols]) => [
      exchange,
      Object.fromEntries(
        symbols.map(([symbol, entry]) => [
          symbol,
          bytes ? { ...entry, bytes: bytes[exchange][symbol][dataset] } : entry,
        ]),
      ),
    ]),
  )
