import { columnOf, type Frame } from '#shared/contract/frame.ts'
import { ownReadingOf } from '#shared/formula/ownData.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import { dayChange, sparkOf, type TimedValues, valueAt, volumeScore } from '#shared/quality/watchFigures.ts'
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import { columnsInFormula, datasetAndColumn } from '#core/series/formulaInputs.ts'
import { findFiles, rowTaskOf } from '#core/series/seriesFiles.ts'
import type { SeriesService } from '#core/series/seriesService.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'

export interface FigureDeps {
  store: Store
  series: SeriesService
}

/** Figures of a venue and symbol that depend only on their cached files. */
export interface MarketFigures {
  last: number | null
  lastAt: number | null
  interval: string | null
  timestamp: string | null
  change: number | null
  funding_rate: number | null
  /** Time of the last funding rate. */
  fundingAt: number | null
  open_interest_change: number | null
  volume_z: number | null
  basis_bps: number | null
  spark: (number | null)[]
  /** False if a file could not be read. */
  isWhole: boolean
}

/** Days to read: the day of the volume and the 30 days before it, plus one because the last day may not be over. */
const VOLUME_DAYS = 32
const CHANGE_DAYS = 3
const MOST_POINTS = 20_000
/** Intervals in order of preference: hourly rows are enough for every figure, and few to read. */
const PREFERRED_INTERVALS = ['1h', '30m', '15m', '5m', '1m']

/** Chooses among the cached series of a dataset: the preferred interval, and at that interval the exchange's clock. */
function seriesOf(pairSeries: readonly OwnedSeries[], dataset: string): OwnedSeries | undefined {
  const rank = ({ interval, timestamp }: OwnedSeries) => {
    const place = PREFERRED_INTERVALS.indexOf(interval)
    return (place < 0 ? PREFERRED_INTERVALS.length : place) * 2 + (timestamp === 'exchange' ? 0 : 1)
  }
  return pairSeries.filter((series) => series.dataset === dataset).toSorted((a, b) => rank(a) - rank(b))[0]
}

export const candlesOf = (pairSeries: readonly OwnedSeries[]): OwnedSeries | undefined => seriesOf(pairSeries, 'ohlcv')

/** Computes the figures of a pair from its cached series. */
export async function marketFigures(
  deps: FigureDeps,
  pairSeries: readonly OwnedSeries[],
  signal: AbortSignal,
): Promise<MarketFigures> {
  const candles = candlesOf(pairSeries)
  const [market, funding, openInterest, basis] = await Promise.all([
    valuesOf(deps, candles, ['close', 'volume'], VOLUME_DAYS, signal),
    valuesOf(deps, seriesOf(pairSeries, 'funding'), ['funding_rate'], CHANGE_DAYS, signal),
    valuesOf(deps, seriesOf(pairSeries, 'open_interest'), ['open_interest'], CHANGE_DAYS, signal),
    valuesOf(deps, seriesOf(pairSeries, 'basis'), ['basis_bps'], CHANGE_DAYS, signal),
  ])
  const { close, volume } = market.values
  const [last, fundingRate] = [valueAt(close), valueAt(funding.values.funding_rate)]
  const intervalMs = (parseInterval(candles?.interval ?? '') ?? 60) * 1000
  return {
    last: last?.value ?? null,
    lastAt: last?.time ?? null,
    interval: candles?.interval ?? null,
    timestamp: candles?.timestamp ?? null,
    change: dayChange(close),
    funding_rate: fundingRate?.value ?? null,
    fundingAt: fundingRate?.time ?? null,
    open_interest_change: dayChange(openInterest.values.open_interest),
    volume_z: volumeScore(volume, intervalMs),
    basis_bps: valueAt(basis.values.basis_bps)?.value ?? null,
    spark: sparkOf(close),
    isWhole: [market, funding, openInterest, basis].every((each) => each.isWhole),
  }
}

/** Reads columns over the last cached days; without a series, all are empty. */
async function valuesOf<Name extends string>(
  { store, series: { deps } }: FigureDeps,
  series: OwnedSeries | undefined,
  columns: readonly Name[],
  days: number,
  signal: AbortSignal,
): Promise<{ values: Record<Name, TimedValues>; isWhole: boolean }> {
  const range = series && lastDays(store, series, days)
  const task = series && range && rowTaskOf(store, findFiles(store, { series, timestamp: clockOf(series) }, range))
  const answer = task && (await deps.reader.run('rows', { ...task, columns }, signal))
  const values = columns.map((name) => [name, timedValues(answer?.frame ?? null, name)])
  return { values: Object.fromEntries(values) as Record<Name, TimedValues>, isWhole: !answer?.unread.length }
}

const clockOf = ({ timestamp }: OwnedSeries) => (timestamp === 'true' ? ('true' as const) : ('exchange' as const))

/** Returns the range of the last days that files cover, which may be long ago; undefined if there are no files. */
function lastDays({ files }: Store, series: OwnedSeries, days: number) {
  const last = files.ranges(series, -200_000, 200_000).at(-1)
  return last && { startMs: (last.endDay - days) * MS_PER_DAY, endMs: last.endDay * MS_PER_DAY }
}

function timedValues(rows: Frame | null, name: string): TimedValues {
  const [time, column] = rows ? [rows.columns[0], columnOf(rows, name)] : []
  if (!time || column?.kind !== 'number') return { times: new Float64Array(0), values: new Float64Array(0) }
  const { values, valid } = column
  return {
    times: Float64Array.from(time.values as ArrayLike<number>),
    values: valid ? values.map((value, row) => (valid[row] === 0 ? NaN : value)) : values,
  }
}

/**
 * Computes the last value of a formula over `dataset.column` names; null if there is none, for example because one of
 * the columns is not cached.
 */
export async function columnFigure(
  deps: FigureDeps,
  pairSeries: readonly OwnedSeries[],
  formula: string,
  signal: AbortSignal,
): Promise<{ value: number | null; isWhole: boolean }> {
  parseFormula(formula)
  const noFigure = { value: null, isWhole: true }
  // Own data stands on the grid of the other columns; where there are none, on that of the candles.
  const allNames = columnsInFormula(formula)
  const ownNames = allNames.filter((name) => ownReadingOf(name) !== null)
  const names = allNames.filter((name) => ownReadingOf(name) === null)
  const ofService = names.map((name) => {
    const { dataset, column } = datasetAndColumn(name)
    const series = seriesOf(pairSeries, dataset)
    return series ? ([name, { series, timestamp: clockOf(series), column }] as const) : null
  })
  const found = ofService.filter((input) => input !== null)
  const onGrid = found.at(0)?.[1].series ?? candlesOf(pairSeries)
  if (!onGrid || found.length < names.length || found.length + ownNames.length === 0) return noFigure
  const own = ownNames.map((name) => {
    const { dataset, column } = datasetAndColumn(name)
    return [name, { series: { ...onGrid, dataset }, timestamp: clockOf(onGrid), column }] as const
  })
  const dated = found.length > 0 ? found.map(([, { series }]) => series) : [onGrid]
  const ranges = dated.flatMap((series) => lastDays(deps.store, series, 2) ?? [])
  if (ranges.length < dated.length) return noFigure
  const endMs = Math.min(...ranges.map((range) => range.endMs))
  const request = {
    formula,
    inputs: Object.fromEntries([...found, ...own]),
    originMs: null,
    startMs: endMs - 2 * MS_PER_DAY,
    endMs,
  }
  const { points, inputs: readInputs } = await deps.series.evaluate({ ...request, points: MOST_POINTS }, signal)
  const isWhole = Object.values(readInputs).every(({ unread }) => unread.length === 0)
  const name = points.kind === 'rows' ? 'value' : 'value.last'
  const values = timedValues(points.frame, columnOf(points.frame, name) ? name : 'value')
  return { value: valueAt(values)?.value ?? null, isWhole }
}
