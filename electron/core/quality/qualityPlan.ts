import { createHash } from 'node:crypto'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { parseSymbol } from '#shared/catalog/symbols.ts'
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import { isMonth } from '#shared/time/periods.ts'
import type { FileToRead } from '#core/series/readerTask.ts'
import { knownFileOf } from '#core/series/seriesFiles.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'
import type { QualityTask } from './qualityTask.ts'

/** Version of the checks; stored results of other versions do not count. */
export const CHECKS_VERSION = 6

/** A check that may already have a stored result. */
export interface PlannedCheck {
  key: string
  task: QualityTask
  series: OwnedSeries
  /** Files that its findings are about. */
  files: CachedFile[]
}

type PlanDeps = Pick<Store, 'folder'> & { filesOf: SeriesFilesOf }

/** Returns the files of a series that overlap a range of days. */
type SeriesFilesOf = (series: OwnedSeries, startDay: number, endDay: number) => CachedFile[]

/** Range of days that includes every file. */
const [FIRST_DAY, LAST_DAY] = [-200_000, 200_000]

const seriesKey = ({ connectionId, dataset, exchange, symbol, interval, timestamp }: OwnedSeries): string =>
  `${connectionId}\n${dataset}\n${exchange}\n${symbol}\n${interval}\n${timestamp}`

/**
 * Creates a function that finds the files of a series and queries the index once per series, because ten thousand files
 * belong to a few hundred series.
 * @param wholeSeriesFiles all files of some series, for which the index need not be queried
 */
export function createSeriesFilesOf(
  { files }: Pick<Store, 'files'>,
  wholeSeriesFiles: readonly CachedFile[],
): SeriesFilesOf {
  const filesByKey = new Map<string, CachedFile[]>()
  const isEmptyByOwner = new Map<string, boolean>()
  for (const file of wholeSeriesFiles) {
    const key = seriesKey(file.series)
    const seriesFiles = filesByKey.get(key)
    if (seriesFiles) seriesFiles.push(file)
    else filesByKey.set(key, [file])
  }
  /**
   * Tells whether a connection, or the owner of its computed metrics, has no metric files at all, which spares a query
   * per series. Most connections have no computed metrics.
   */
  const isEmpty = (connectionId: string): boolean => {
    const wasEmpty = isEmptyByOwner.get(connectionId)
    if (wasEmpty !== undefined) return wasEmpty
    const hasNone = files.page({ connectionId, kind: 'metrics' }, null, 1).length === 0
    isEmptyByOwner.set(connectionId, hasNone)
    return hasNone
  }
  return (series, startDay, endDay) => {
    const key = seriesKey(series)
    let seriesFiles = filesByKey.get(key)
    if (seriesFiles === undefined) {
      seriesFiles = isEmpty(series.connectionId) ? [] : files.ofSeries(series, FIRST_DAY, LAST_DAY)
      filesByKey.set(key, seriesFiles)
    }
    return seriesFiles.filter((file) => file.startDay < endDay && file.endDay > startDay)
  }
}

function plannedCheck(
  series: OwnedSeries,
  task: QualityTask,
  files: CachedFile[],
  otherFiles: CachedFile[] = [],
): PlannedCheck {
  const fileIdentities = [...files, ...otherFiles].map(({ sha256, period, series: each }) => [
    sha256,
    period,
    each.exchange,
    each.symbol,
  ])
  const identity = [CHECKS_VERSION, task.name, series.dataset, series.interval, fileIdentities]
  return { key: createHash('sha256').update(JSON.stringify(identity)).digest('hex'), task, series, files }
}

const fileToRead = ({ folder }: Pick<PlanDeps, 'folder'>, file: CachedFile): FileToRead => ({
  path: file.own?.path ?? folder.pathOf(file.series, file.period),
  known: knownFileOf(file),
  ...(file.own && { rows: file.own.rows }),
})

function checkedSeries({ dataset, exchange, symbol, interval }: OwnedSeries) {
  return { dataset, exchange, symbol, intervalMs: (parseInterval(interval) ?? 60) * 1000 }
}

/**
 * Plans the checks of one file: raw events on their own; metrics on their own, against computed files, and for a monthly file also against daily files.
 */
export function checksOfFile(deps: PlanDeps, file: CachedFile): PlannedCheck[] {
  const { series, startDay, endDay } = file
  if (series.kind === 'raw')
    return [plannedCheck(series, { name: 'events', dataset: series.dataset, slices: [fileToRead(deps, file)] }, [file])]
  const sharedFields = { series: checkedSeries(series), slices: [fileToRead(deps, file)] }
  const period = { startMs: startDay * MS_PER_DAY, endMs: endDay * MS_PER_DAY }
  const filesOf = (other: OwnedSeries) => deps.filesOf(other, startDay, endDay)
  const candleFiles = series.dataset === 'open_interest' ? filesOf({ ...series, dataset: 'ohlcv' }) : []
  const checks = [
    plannedCheck(
      series,
      { name: 'file', ...sharedFields, period, candles: candleFiles.map((each) => fileToRead(deps, each)) },
      [file],
      candleFiles,
    ),
  ]
  const dailyFiles = isMonth(file.period) ? filesOf(series).filter(({ period }) => !isMonth(period)) : []
  const owner = computedOwner(series.connectionId)
  const computedFiles = owner === series.connectionId ? [] : filesOf({ ...series, connectionId: owner })
  for (const [name, otherFiles] of [
    ['overlap', dailyFiles],
    ['computed', computedFiles],
  ] as const) {
    if (otherFiles.length === 0) continue
    const expected = otherFiles.map((each) => fileToRead(deps, each))
    checks.push(plannedCheck(series, { name, ...sharedFields, expected }, [file], otherFiles))
  }
  return checks
}

/** Plans the check of the rows of one owner in a file of an own dataset. */
export function checkOfOwnFile(deps: Pick<PlanDeps, 'folder'>, file: CachedFile): PlannedCheck {
  const { series, startDay, endDay } = file
  const period = { startMs: startDay * MS_PER_DAY, endMs: endDay * MS_PER_DAY }
  const areEvents = series.interval === ''
  const task = { name: 'file' as const, series: checkedSeries(series), slices: [fileToRead(deps, file)], candles: [] }
  return plannedCheck(series, { ...task, period, areEvents }, [file])
}

/** Datasets that are compared across venues, with the column to compare. */
export const venueColumns = { l1_price: 'midprice', funding: 'funding_rate' } as const

/** Plans the comparison of venues: files with the same dataset, base, interval, clock and period. */
export function checksOfVenues(deps: Pick<PlanDeps, 'folder'>, files: readonly CachedFile[]): PlannedCheck[] {
  const groups = new Map<string, CachedFile[]>()
  for (const file of files) {
    const { dataset, symbol, interval, timestamp } = file.series
    const base = parseSymbol(symbol)?.base
    if (!Object.hasOwn(venueColumns, dataset) || base === undefined) continue
    const key = JSON.stringify([dataset, base, interval, timestamp, file.period])
    const sameGroup = groups.get(key)
    if (sameGroup) sameGroup.push(file)
    else groups.set(key, [file])
  }
  return [...groups.values()].flatMap((group) => {
    const [{ series }] = group
    if (new Set(group.map((file) => file.series.exchange)).size < 2) return []
    const venues = group.map((file) => ({
      exchange: file.series.exchange,
      symbol: file.series.symbol,
      slices: [fileToRead(deps, file)],
    }))
    const column = series.dataset === 'funding' ? venueColumns.funding : venueColumns.l1_price
    return [
      plannedCheck(series, { name: 'venue', column, intervalMs: checkedSeries(series).intervalMs, venues }, group),
    ]
  })
}
