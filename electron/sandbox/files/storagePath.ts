import { isTimestampSource } from '#shared/catalog/intervals.ts'
import { periodDays } from '#shared/time/periods.ts'
import { isRawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { symbolSegment } from '../access/symbolSegment.ts'
import { instrumentsOf } from '../market/instruments.ts'
import type { SandboxVenue } from '../market/venues.ts'
import type { FileRecipe } from './fileRecipe.ts'

type NamedFile = {
  [K in 'metrics' | 'raw']: Omit<Extract<FileRecipe, { kind: K }>, 'seed' | 'untilMs' | 'revision' | 'faults'>
}

/** File identified by a storage path. */
export type StoredFileName = NamedFile['metrics'] | NamedFile['raw']

/**
 * Returns the storage path of a file: a prefix for the dataset, `/metrics/<dataset>.<timestamp>` or `/raw/<dataset>`,
 * then the path that the service documents.
 */
export function storagePath(name: StoredFileName): string {
  const prefix =
    name.kind === 'metrics'
      ? `/metrics/${name.dataset}.${name.timestamp}/${name.venue.id}/${name.interval}`
      : `/raw/${name.dataset}/${name.venue.id}`
  return `${prefix}/${symbolSegment(name.symbol)}/${name.period}.parquet`
}

const metricsPattern = /^\/metrics\/([^/.]+)\.([^/.]+)\/([^/]+)\/([^/]+)\/([^/]+)\/([^/.]+)\.parquet$/
const rawPattern = /^\/raw\/([^/]+)\/([^/]+)\/([^/]+)\/([^/.]+)\.parquet$/

const symbolsBySegment = new Map<string, Map<string, string>>()

function symbolOf(seed: number, venue: SandboxVenue, segment: string): string | undefined {
  const key = `${seed} ${JSON.stringify(venue)}`
  let symbols = symbolsBySegment.get(key)
  if (!symbols) {
    symbols = new Map(instrumentsOf(seed, venue).map(({ symbol }) => [symbolSegment(symbol), symbol]))
    symbolsBySegment.set(key, symbols)
  }
  return symbols.get(segment)
}

/** Parses a storage path; null if it names no file. */
export function parseStoragePath(seed: number, venues: readonly SandboxVenue[], path: string): StoredFileName | null {
  const metrics = metricsPattern.exec(path)
  const raw = rawPattern.exec(path)
  const [venueId, segment, period] = metrics ? [metrics[3], metrics[5], metrics[6]] : raw ? raw.slice(2) : []
  const venue = venues.find(({ id }) => id === venueId)
  if (!venue || !periodDays(period)) return null
  const symbol = symbolOf(seed, venue, segment)
  if (!symbol) return null
  if (metrics && isTimestampSource(metrics[2])) {
    return { kind: 'metrics', dataset: metrics[1], timestamp: metrics[2], interval: metrics[4], venue, symbol, period }
  }
  return raw && isRawDatasetId(raw[1]) ? { kind: 'raw', dataset: raw[1], venue, symbol, period } : null
}
