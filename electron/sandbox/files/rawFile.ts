import { rawColumns, rawDataset, type RawColumn, type RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { sideCodes } from '#shared/metrics/events.ts'
import type { SchemaElement } from 'hyparquet'
import type { ColumnSource } from 'hyparquet-writer'
import { isArrivalMeasured } from '../events/arrival.ts'
import { feedBySource, marketDayOf, type MarketDay } from '../events/marketDay.ts'
import { findInstrument, type SandboxInstrument } from '../market/instruments.ts'
import type { GeneratedFile, RawFileRecipe } from './fileRecipe.ts'
import { finishTogether, ParquetFileWriter } from './parquetFile.ts'
import { coveredDays, daysOfPeriod } from './periods.ts'
import { rawFileBytes, rawLayout } from './rawSizes.ts'

type ColumnData = ColumnSource['data']

/** A day's events, by the column names of the raw-event catalog. */
type ColumnsByName = Record<string, ColumnData>

const timestamps = (us: Float64Array) => BigInt64Array.from(us, (value) => BigInt(value))

/** Converts timestamps in microseconds; NaN becomes null. */
const optionalTimestamps = (us: Float64Array) => Array.from(us, (value) => (Number.isNaN(value) ? null : BigInt(value)))

const sideNames = Object.fromEntries(Object.entries(sideCodes).map(([name, code]) => [code, name]))

function ownColumns(dataset: RawDatasetId, events: MarketDay, day: number): ColumnsByName {
  if (dataset === 'trades') {
    const { side, price, amount } = events.trades
    const id = Array.from(price, (_, index) => String(day * 1_000_000 + index))
    return { id, side: Array.from(side, (code) => sideNames[code]), price, amount }
  }
  if (dataset === 'quotes') {
    const { bidPrice, bidAmount, askPrice, askAmount } = events.quotes
    return { bid_price: bidPrice, bid_amount: bidAmount, ask_price: askPrice, ask_amount: askAmount }
  }
  if (dataset === 'mark_price') return { mark_price: events.mark.value }
  if (dataset === 'index_price') return { index_price: events.index.value }
  if (dataset === 'open_interest') return { open_interest: events.openInterest.value }
  const { value, nextUs } = events.funding
  return { funding_rate: value, next_funding_timestamp: optionalTimestamps(nextUs) }
}

function dayRows(dataset: RawDatasetId, events: MarketDay, day: number): ColumnsByName {
  const { exchangeUs, localUs } = events[feedBySource[dataset]]
  const count = exchangeUs.length
  return {
    exchange_timestamp: timestamps(exchangeUs),
    exchange_timestamp_kind: Array<string>(count).fill('modelled'),
    local_timestamp: timestamps(localUs),
    local_timestamp_kind: Array<string>(count).fill(isArrivalMeasured(day) ? 'measured' : 'modelled'),
    ...ownColumns(dataset, events, day),
  }
}

function schemaOf({ name, type, nullable }: RawColumn): SchemaElement {
  const repetition_type = nullable ? 'OPTIONAL' : 'REQUIRED'
  if (type === 'float64') return { name, type: 'DOUBLE', repetition_type }
  if (type === 'string') return { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type }
  return {
    name,
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    repetition_type,
  }
}

const rowGroupSizes = [20_000, 65_536, 100_000]

const hasModelledTimes = ({ dataset, venue }: RawFileRecipe): boolean =>
  venue.exchangeTimes === 'modelled' && rawDataset(dataset).exchangeTimeModelled

/** Writes one raw-event file day by day. */
export function makeRawFile(recipe: RawFileRecipe, folder: string): Promise<GeneratedFile[]> {
  const instrument = findInstrument(recipe.seed, recipe.venue, recipe.symbol) as SandboxInstrument
  const columns = rawColumns(recipe.dataset, hasModelledTimes(recipe))
  const { codec, hash } = rawLayout(recipe.dataset, recipe.venue)
  const file = new ParquetFileWriter(recipe, folder, columns.map(schemaOf), codec)
  const days = coveredDays(instrument, daysOfPeriod(recipe.period), recipe.untilMs)
  const write = async () => {
    for (const day of days) {
      const rows = dayRows(recipe.dataset, marketDayOf(recipe.seed, instrument, day, recipe.revision), day)
      // An index after the rows would have to know the place of the filling before it.
      const data = columns.map(({ name }) => ({ name, data: rows[name], offsetIndex: false }))
      await file.write(data, rowGroupSizes[hash % rowGroupSizes.length])
    }
  }
  return finishTogether([file], write, rawFileBytes(recipe, instrument, days))
}
