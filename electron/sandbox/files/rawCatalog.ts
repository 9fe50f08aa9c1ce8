import { rawColumns, rawDatasets, type RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { Day } from '#shared/time.ts'
import { hasSource, instrumentsOf, type SandboxInstrument } from '../market/instruments.ts'
import type { SandboxVenue } from '../market/venues.ts'
import { previewMonth, previewSymbol } from './preview.ts'
import { periodCoverage, daysLeftOut, RAW_DELAY_MS } from './periods.ts'
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
  bytes?: number
}

function venueCoverage({ seed, untilMs, hasDetails }: RawCatalogTask, venue: SandboxVenue) {
  return instrumentsOf(seed, venue).flatMap((instrument): [instrument: SandboxInstrument, entry: CoverageEntry][] => {
    const coverage = periodCoverage(instrument, untilMs)
    if (!coverage) return []
    const missing = hasDetails ? daysLeftOut(instrument, coverage) : []
    return [[instrument, { ...coverage, ...(missing.length > 0 && { missing }) }]]
  })
}

/** Writes the catalog document. */
export function rawCatalogDocument(task: RawCatalogTask): string {
  const { seed, venues, untilMs, dailyFrom, hasDetails } = task
  const venueCoverages = venues.map((venue) => [venue.id, venueCoverage(task, venue)] as const)
  const bytes = hasDetails ? allRawBytes(seed, venues, untilMs) : null
  const coverage = Object.fromEntries(rawDatasets.map(({ id }) => [id, datasetCoverage(id, venueCoverages, bytes)]))
  const summary = rawDatasets.flatMap(({ id }) =>
    Object.entries(coverage[id]).map(([exchange, symbols]) => {
      const ranges = Object.values(symbols)
      const first = ranges.reduce((least, range) => (range.first < least ? range.first : least), '9999-12-31')
      const last = ranges.reduce((most, range) => (range.last > most ? range.last : most), '0000-01-01')
      return { dataset: id, exchange, symbols: ranges.length, first, last }
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
    coverage: { generated_at: new Date(untilMs + RAW_DELAY_MS).toISOString(), datasets: coverage },
  })
}

/** Coverage of the instruments of a venue, for all datasets that they have. */
type VenueCoverage = readonly [exchange: string, entries: readonly [SandboxInstrument, CoverageEntry][]]

const datasetCoverage = (
  dataset: RawDatasetId,
  venueCoverages: readonly VenueCoverage[],
  bytes: BytesByVenue | null,
): Record<string, Record<string, CoverageEntry>> =>
  Object.fromEntries(
    venueCoverages.map(([exchange, entries]) => {
      const ofDataset = entries.filter(([instrument]) => hasSource(instrument, dataset))
      const symbols = ofDataset.map(([{ symbol }, entry]) => [
        symbol,
        bytes ? { ...entry, bytes: bytes[exchange][symbol][dataset] } : entry,
      ])
      return [exchange, Object.fromEntries(symbols)]
    }),
  )
