import { rawDatasets, type RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { DayRange } from '#shared/time/ranges.ts'
import { liquidityOf, tradeTargetOf } from '../events/instrumentDay.ts'
import { MOST_FUNDING_ROWS, updateSeconds, OPEN_INTEREST_PACE } from '../events/values.ts'
import { AssetPath } from '../market/assetPath.ts'
import { assetsOf } from '../market/assets.ts'
import { dailyMarketOf } from '../market/daily.ts'
import { instrumentsOf, type SandboxInstrument } from '../market/instruments.ts'
import { MarketFactor } from '../market/marketFactor.ts'
import { numberFromText } from '../market/random.ts'
import type { SandboxVenue } from '../market/venues.ts'
import { coveredDays } from './periods.ts'

/**
 * Sizes of raw-event files, which are known before a file is made, so that a listing of a year and the catalog of all
 * symbols can state them. Each size is a bound for the rows of the file; the file is filled up to it before its footer,
 * where readers of Parquet never look.
 */

type Codec = 'SNAPPY' | 'ZSTD'

/** Returns the compression of a venue's files of a dataset, and the hash from which other properties are drawn. */
export function rawLayout(dataset: RawDatasetId, venue: SandboxVenue): { codec: Codec; hash: number } {
  const hash = numberFromText('raw file', dataset, venue.id)
  return { codec: hash % 3 === 0 ? 'SNAPPY' : 'ZSTD', hash }
}

/** Largest number of bytes of a row, by dataset and compression. */
const rowBytes: Record<RawDatasetId, Record<Codec, number>> = {
  trades: { ZSTD: 17, SNAPPY: 32 },
  quotes: { ZSTD: 27, SNAPPY: 37 },
  mark_price: { ZSTD: 17, SNAPPY: 23 },
  index_price: { ZSTD: 17, SNAPPY: 23 },
  funding_rate: { ZSTD: 17, SNAPPY: 23 },
  open_interest: { ZSTD: 14, SNAPPY: 22 },
}

/** Largest number of bytes that a day adds besides its rows; it has one row group at least. */
const DAY_BYTES = 4000

const SECONDS_PER_DAY = 86_400

/** Largest number of rows of a day, by its notional. */
function mostRows(dataset: RawDatasetId, notional: number): number {
  const tradeTarget = tradeTargetOf(notional)
  if (dataset === 'trades') return tradeTarget + 15 * Math.sqrt(tradeTarget)
  if (dataset === 'quotes') return 1.1 * (5000 + 1.2 * tradeTarget)
  if (dataset === 'funding_rate') return MOST_FUNDING_ROWS
  const updates = (1.03 * SECONDS_PER_DAY) / updateSeconds({ liquidity: liquidityOf(tradeTarget) })
  return dataset === 'open_interest' ? updates / OPEN_INTEREST_PACE : updates
}

/** Computes the number of bytes that some days take in the files of a dataset. */
function rawBytes(
  dataset: RawDatasetId,
  { venue, share }: Pick<SandboxInstrument, 'venue' | 'share'>,
  path: AssetPath,
  days: readonly number[],
): number {
  const bytesPerRow = rowBytes[dataset][rawLayout(dataset, venue).codec]
  return days.reduce(
    (sum, day) => sum + Math.ceil(DAY_BYTES + bytesPerRow * mostRows(dataset, path.notional(day) * share)),
    0,
  )
}

/** Computes the size of a file with some days of an instrument. */
export const rawFileBytes = (
  { seed, dataset }: { seed: number; dataset: RawDatasetId },
  instrument: SandboxInstrument,
  days: readonly number[],
): number => rawBytes(dataset, instrument, dailyMarketOf(seed).path(instrument.base)!, days)

/** Bytes of all files of every symbol, by venue and dataset. */
export type BytesByVenue = Record<string, Record<string, Record<RawDatasetId, number>>>

/** Computes the bytes of the files of all symbols. Paths of assets are computed anew, so that none stays in memory. */
export function allRawBytes(seed: number, venues: readonly SandboxVenue[], untilMs: number): BytesByVenue {
  const factor = new MarketFactor(seed)
  const everyDay: DayRange = { start: 0, end: Infinity }
  const bytes: BytesByVenue = Object.fromEntries(venues.map(({ id }) => [id, {}]))
  const instruments = Map.groupBy(
    venues.flatMap((venue) => instrumentsOf(seed, venue)),
    ({ base }) => base,
  )
  for (const asset of assetsOf(seed)) {
    const path = new AssetPath(seed, asset, factor)
    for (const instrument of instruments.get(asset.base) ?? []) {
      const days = coveredDays(instrument, everyDay, untilMs)
      bytes[instrument.venue.id][instrument.symbol] = Object.fromEntries(
        rawDatasets.map(({ id }) => [id, rawBytes(id, instrument, path, days)]),
      ) as Record<RawDatasetId, number>
    }
  }
  return bytes
}
