import type { SeriesScan } from '#shared/contract/areas/series.ts'
import { numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'
import { knownDelayUs, ownNameOf } from '#shared/formula/ownData.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import type { ScannedSeries } from '#core/series/readerTask.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { rulesOf } from './columnRules.ts'
import { findFiles, stepMsOf, taskOf, messageWithoutFolder } from './seriesFiles.ts'
import { scanFormulas } from './scanFormulas.ts'
import type { SeriesDeps } from './seriesDeps.ts'

interface ScanRequest extends TimeRange {
  /** Connection, dataset, venue, interval and clock of the scanned series; the symbol is ignored. */
  series: OwnedSeries
  column: string
  way: 'moment' | 'mean'
  sparkPoints: number
  /** Further columns, each computed by a formula over every series. */
  formulas?: readonly { name: string; formula: string }[]
}

/** Number of series per task of a thread. */
const SERIES_AT_ONCE = 8

/** Scans one column over all series of a venue that have files in the range. */
export async function scan(
  deps: SeriesDeps,
  { series: pattern, column, way: statistic, startMs, endMs, sparkPoints, formulas = [] }: ScanRequest,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<SeriesScan> {
  const { store, reader } = deps
  const own = ownNameOf(pattern.dataset)
  const matchingSeries = own === null ? cachedSeriesOf(deps, pattern) : ownSeriesOf(deps, pattern)
  const stepMs = own === null ? (stepMsOf(pattern) ?? 0) : knownDelayUs(store.ownData.read(own).record) / 1000
  let done = 0
  const total = matchingSeries.length * (formulas.length > 0 ? 2 : 1)
  const reportDone = (series: number) => {
    done = Math.min(total, done + series)
    onProgress({ done, total, message: 'scanned' })
  }
  const batches = Array.from({ length: Math.ceil(matchingSeries.length / SERIES_AT_ONCE) }, (_, at) =>
    matchingSeries.slice(at * SERIES_AT_ONCE, (at + 1) * SERIES_AT_ONCE),
  )
  const scanBatch = async (batch: readonly OwnedSeries[]) => {
    const found = batch
      .map((series) => findFiles(store, { series, timestamp: 'exchange' }, { startMs, endMs }))
      .filter(({ slices }) => slices.length > 0)
    const tasks = found.map((files) => taskOf(store, files))
    const task = { series: tasks, column, statistic, stepMs, startMs, endMs, sparkPoints }
    const results = found.length > 0 ? await reader.run('scan', task, signal) : []
    reportDone(batch.length)
    return results.map((result, at) => ({ series: found[at].series, symbol: found[at].series.symbol, ...result }))
  }
  const scannedSeries = (await Promise.all(batches.map(scanBatch))).flat()
  const formulaScan = { series: scannedSeries.map(({ series }) => series), formulas, statistic, startMs, endMs }
  const formulaResult = await scanFormulas(deps, formulaScan, signal, reportDone)
  const frame = frameOf(scannedSeries)
  return {
    frame: { ...frame, columns: [...frame.columns, ...formulaResult.columns] },
    formulas: formulaResult.formulas,
    unit: rulesOf({ series: pattern, timestamp: 'exchange', column }, store).unit ?? null,
    sparks: { points: sparkPoints, values: joinSparks(scannedSeries, sparkPoints) },
    unread: scannedSeries.flatMap(({ symbol, unread }) =>
      unread.map((each) => ({ symbol, message: messageWithoutFolder(store, each).message })),
    ),
  }
}

const cachedSeriesOf = ({ store }: SeriesDeps, pattern: OwnedSeries): OwnedSeries[] =>
  store.cacheIndex
    .series(pattern.connectionId)
    .map(({ series }) => series)
    .filter((series) => matchesExceptSymbol(series, pattern))

/** Lists the series of an own dataset beside every known instrument of a venue. */
const ownSeriesOf = ({ store }: SeriesDeps, pattern: OwnedSeries): OwnedSeries[] =>
  store.ownData
    .knownInstruments()
    .filter(({ exchange }) => exchange === pattern.exchange)
    .map(({ symbol }) => ({ ...pattern, symbol }))

const matchesExceptSymbol = (series: OwnedSeries, pattern: OwnedSeries) =>
  (['kind', 'dataset', 'exchange', 'interval', 'timestamp'] as const).every((key) => series[key] === pattern[key])

function frameOf(scanned: readonly (ScannedSeries & { symbol: string })[]): SeriesScan['frame'] {
  const numbers = (name: string, valueOf: (series: ScannedSeries) => number | null) =>
    numberColumn(name, scanned.map(valueOf))
  return {
    rows: scanned.length,
    columns: [
      textColumn(
        'symbol',
        scanned.map(({ symbol }) => symbol),
      ),
      numbers('value', ({ value }) => value),
      timeColumn(
        'time',
        scanned.map(({ timeMs }) => timeMs),
      ),
      numbers('first', ({ first }) => first),
      numbers('change', ({ first, last }) => (first === null || last === null ? null : last - first)),
      numbers('min', ({ min }) => min),
      numbers('max', ({ max }) => max),
      numbers('z', ({ z }) => z),
      numbers('percentile', ({ lastShare }) => lastShare),
      numbers('count', ({ count }) => count),
      numbers('missing', ({ rows, count }) => rows - count),
      numbers('rows', ({ rows }) => rows),
    ],
  }
}

function joinSparks(scanned: readonly ScannedSeries[], points: number): Float64Array {
  const values = new Float64Array(scanned.length * points)
  for (const [row, { spark }] of scanned.entries()) values.set(spark, row * points)
  return values
}
