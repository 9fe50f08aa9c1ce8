import type { WatchRow } from '#shared/contract/areas/watch.ts'
import { columnOf, type Frame } from '#shared/contract/frame.ts'
import type { ListedPair } from '#shared/contract/listsFile.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import { annualFunding, dayChange, type TimedValues, valueAt, volumeScore } from '#shared/quality/watchFigures.ts'
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import type { Clock } from '#core/ports.ts'
import type { QualityService } from '#core/quality/qualityService.ts'
import type { SeriesService } from '#core/series/seriesService.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'

export interface WatchDeps {
  store: Store
  clock: Clock
  series: SeriesService
  quality: QualityService
}

export interface WatchRequest {
  connectionId: string
  list?: string | undefined
  columns: readonly { name: string; formula: string }[]
}

const DAYS = 30
const MOST_ROWS = 1_000_000
const MOST_POINTS = 20_000
/** Intervals in the order in which they are taken: an hour has enough rows for every figure, and few to read. */
const PREFERRED = ['1h', '30m', '15m', '5m', '1m']

/** Computes the rows of a watch list from what is cached; nothing is asked of a service. */
export async function watchRows(
  deps: WatchDeps,
  { connectionId, list, columns }: WatchRequest,
  signal: AbortSignal,
): Promise<{ rows: WatchRow[]; notes: string[] }> {
  const { store, quality } = deps
  const cached = cachedByPair(store, connectionId)
  const pairs = list === undefined ? pairsWithCandles(cached) : store.lists.pairs(list)
  const today = Math.floor(deps.clock.nowMs() / MS_PER_DAY)
  const days = { startDay: today - DAYS, endDay: today }
  const report = await quality.check({ connectionId, pairs, ...days }, { signal })
  const findings = new Map<string, number>()
  for (const { exchange, symbol, accepted } of report.findings)
    if (!accepted) findings.set(keyOf({ exchange, symbol }), (findings.get(keyOf({ exchange, symbol })) ?? 0) + 1)
  const everyHours = fundingPeriods(store)
  const rows = await Promise.all(
    pairs.map(async (pair) => {
      const key = keyOf(pair)
      const own = cached.get(key) ?? []
      const reading = { deps, own, today, signal }
      const count = findings.get(key) ?? 0
      const row = await rowOf(pair, reading, everyHours.get(key) ?? null, columns)
      return { ...row, quality: row.coverage > 0 || count > 0 ? count : null }
    }),
  )
  const unknownPeriod = rows.filter((_, at) => !everyHours.has(keyOf(pairs[at]))).length
  const notes =
    unknownPeriod > 0 ? [`funding_every is not known for ${unknownPeriod} of ${rows.length}; import instruments`] : []
  return { rows, notes }
}

const keyOf = ({ exchange, symbol }: ListedPair) => JSON.stringify([exchange, symbol])

function cachedByPair({ cacheIndex }: Store, connectionId: string): Map<string, OwnedSeries[]> {
  const found = new Map<string, OwnedSeries[]>()
  for (const { series } of cacheIndex.series(connectionId)) {
    if (series.kind !== 'metrics') continue
    const key = keyOf(series)
    const own = found.get(key)
    if (own) own.push(series)
    else found.set(key, [series])
  }
  return found
}

const pairsWithCandles = (cached: ReadonlyMap<string, OwnedSeries[]>): ListedPair[] =>
  [...cached.values()].flatMap((own) => {
    const candles = own.find(({ dataset }) => dataset === 'ohlcv')
    return candles ? [{ exchange: candles.exchange, symbol: candles.symbol }] : []
  })

function fundingPeriods({ instruments }: Store): Map<string, number> {
  return new Map(
    instruments.list().flatMap((each) => {
      const seconds = each.funding_every === null ? null : parseInterval(each.funding_every)
      return seconds === null ? [] : [[keyOf(each), seconds / 3600] as const]
    }),
  )
}

interface Reading {
  deps: WatchDeps
  /** Cached series of one pair. */
  own: readonly OwnedSeries[]
  today: number
  signal: AbortSignal
}

/** Chooses the cached series of a dataset that answers with the fewest rows, on the exchange's clock where it is here. */
function seriesOf({ own }: Reading, dataset: string): OwnedSeries | undefined {
  const rank = ({ interval, timestamp }: OwnedSeries) => {
    const place = PREFERRED.indexOf(interval)
    return (place < 0 ? PREFERRED.length : place) * 2 + (timestamp === 'exchange' ? 0 : 1)
  }
  return own.filter((series) => series.dataset === dataset).toSorted((a, b) => rank(a) - rank(b))[0]
}

async function rowOf(
  { exchange, symbol }: ListedPair,
  reading: Reading,
  everyHours: number | null,
  columns: WatchRequest['columns'],
): Promise<Omit<WatchRow, 'quality'>> {
  const candles = seriesOf(reading, 'ohlcv')
  const [market, funding, interest, values] = await Promise.all([
    valuesOf(reading, candles, ['close', 'volume'], DAYS + 2),
    valuesOf(reading, seriesOf(reading, 'funding'), ['funding_rate'], 3),
    valuesOf(reading, seriesOf(reading, 'open_interest'), ['open_interest'], 3),
    Promise.all(columns.map(({ formula }) => formulaValue(reading, formula))),
  ])
  const last = valueAt(market.close)
  const intervalMs = (parseInterval(candles?.interval ?? '') ?? 60) * 1000
  return {
    exchange,
    symbol,
    last: last?.value ?? null,
    change: dayChange(market.close),
    funding_annualised: annualFunding(valueAt(funding.funding_rate)?.value ?? null, everyHours),
    open_interest_change: dayChange(interest.open_interest),
    volume_z: volumeScore(market.volume, intervalMs),
    coverage: candles ? coverageOf(reading, candles) : 0,
    lastAt: last?.time ?? null,
    values,
  }
}

/** Counts which of the last whole days are cached. */
function coverageOf({ deps, today }: Reading, series: OwnedSeries): number {
  const days = new Set<number>()
  for (const { startDay, endDay } of deps.store.files.ranges(series, today - DAYS, today))
    for (let day = Math.max(startDay, today - DAYS); day < Math.min(endDay, today); day++) days.add(day)
  return days.size / DAYS
}

/** Reads columns of the last days that are cached; without a series, all are empty. */
async function valuesOf<Name extends string>(
  { deps, signal }: Reading,
  series: OwnedSeries | undefined,
  columns: readonly Name[],
  days: number,
): Promise<Record<Name, TimedValues>> {
  const range = series && lastDays(deps.store, series, days)
  const rows =
    series && range
      ? (
          await deps.series.read(
            { series, timestamp: clockOf(series), columns, ...range, limitRows: MOST_ROWS },
            signal,
          )
        ).frame
      : null
  return Object.fromEntries(columns.map((name) => [name, timedValues(rows, name)])) as Record<Name, TimedValues>
}

const clockOf = ({ timestamp }: OwnedSeries) => (timestamp === 'true' ? ('true' as const) : ('exchange' as const))

/** Returns the last days that files cover, which may lie in the past. */
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
    values: Float64Array.from(values, (value, row) => (valid?.[row] === 0 ? NaN : value)),
  }
}

const columnName = /[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*/g

/** Computes the last value of a formula whose names are `dataset.column`; null where one of them is not here. */
async function formulaValue(reading: Reading, formula: string): Promise<number | null> {
  parseFormula(formula)
  const names = [...new Set(formula.match(columnName))]
  const inputs = names.map((name) => {
    const [dataset, column] = name.split('.')
    const series = seriesOf(reading, dataset)
    return series ? ([name, { series, timestamp: clockOf(series), column }] as const) : null
  })
  const found = inputs.filter((input) => input !== null)
  if (found.length === 0 || found.length < inputs.length) return null
  const ranges = found.flatMap(([, { series }]) => lastDays(reading.deps.store, series, 2) ?? [])
  if (ranges.length < found.length) return null
  const endMs = Math.min(...ranges.map((range) => range.endMs))
  const request = { formula, inputs: Object.fromEntries(found), originMs: null, startMs: endMs - 2 * MS_PER_DAY, endMs }
  const { points } = await reading.deps.series.evaluate({ ...request, points: MOST_POINTS }, reading.signal)
  const name = points.kind === 'rows' ? 'value' : 'value.last'
  return valueAt(timedValues(points.frame, columnOf(points.frame, name) ? name : 'value'))?.value ?? null
}
