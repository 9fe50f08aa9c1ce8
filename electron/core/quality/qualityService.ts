import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FindingIdentity, JudgedFinding, QualityReport } from '#shared/contract/areas/quality.ts'
import { computedOwner, isComputedOwner } from '#shared/contract/computedOwner.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { missingBetween } from '#shared/quality/checkRows.ts'
import { dayOfFinding, type Finding, qualityLimits, type RowFinding } from '#shared/quality/findings.ts'
import { dayOf, MS_PER_DAY, parseInterval } from '#shared/time.ts'
import { periodDays } from '#shared/time/periods.ts'
import type { Clock } from '#core/ports.ts'
import { ownDatasetId } from '#shared/formula/ownData.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import { isOwn } from '#core/series/seriesFiles.ts'
import { filesOfOwners } from '#core/store/ownFiles.ts'
import { type ChangedFiles, runValidated } from '#core/series/changedFiles.ts'
import type { FileFilter } from '#core/store/fileFilter.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'
import { storedJsonOr } from '#core/store/storedJson.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import {
  checkOfOwnFile,
  checksOfFile,
  checksOfVenues,
  createSeriesFilesOf,
  type PlannedCheck,
  venueColumns,
} from './qualityPlan.ts'
import type { QualityResult, QualityTask } from './qualityTask.ts'

export interface QualityOptions {
  signal: AbortSignal
  onProgress?: (progress: Progress) => void
}

/** Finds faults in cached files: metrics of the service, metrics computed here, and raw events. */
export interface QualityService {
  check(filter: FileFilter & { connectionId: string }, options: QualityOptions): Promise<QualityReport>
  /**
   * Checks these files, and compares them with files of other venues for the same periods.
   * @returns number of open findings
   */
  checkFiles(files: readonly CachedFile[], options: QualityOptions): Promise<number>
  close(): Promise<void>
}

export interface QualityDeps {
  store: Store
  clock: Clock
  /** Detects files that were changed outside the app; null to trust the cache folder. */
  changedFiles: ChangedFiles | null
}

const THREADS = 2
const FILES_AT_ONCE = 2000
/**
 * Number of checks in a batch. The results of each batch are saved, and a long run can be cancelled between batches.
 */
const CHECKS_PER_BATCH = 64
const MOST_FINDINGS = 100_000

export const acceptedKey = (connectionId: string, finding: FindingIdentity): string => {
  const { dataset, exchange, symbol, interval, timestamp, kind, column, from, to, origin } = finding
  const owner = origin === 'computed' ? computedOwner(connectionId) : connectionId
  return JSON.stringify([owner, dataset, exchange, symbol, interval, timestamp, kind, column, from, to])
}

const isNumberOrNull = (value: unknown) => value === null || typeof value === 'number'

/** Tells whether a stored value is a valid result; if not, the check is run again. */
const isResult = (value: unknown): value is QualityResult | null =>
  isRecord(value) &&
  Array.isArray(value.findings) &&
  value.findings.every((each) => isRecord(each) && typeof each.kind === 'string') &&
  isNumberOrNull(value.firstMs) &&
  isNumberOrNull(value.lastMs) &&
  typeof value.longestEmpty === 'number' &&
  value.unread === null

export function createQualityService({ store, clock, changedFiles }: QualityDeps): QualityService {
  // Threads get their next check early, because they would otherwise wait for the main thread after every file.
  const pool = createThreadPool<QualityTask, QualityResult>(threadEntry('qualityWorker', import.meta.url), THREADS, {
    perThread: 2,
  })
  const run = (task: QualityTask, signal: AbortSignal) =>
    runValidated(changedFiles, task, () => pool.run(task, signal), signal)

  /** Runs the checks that have no stored result, in batches, and returns the results of all. */
  async function resultsOf(checks: readonly PlannedCheck[], { signal, onProgress }: QualityOptions) {
    const results = new Map<PlannedCheck, QualityResult>()
    const pending: PlannedCheck[] = []
    for (let from = 0; from < checks.length; from += FILES_AT_ONCE) {
      await nextTurn()
      const batch = checks.slice(from, from + FILES_AT_ONCE)
      const storedResults = store.quality.results(batch.map(({ key }) => key))
      for (const check of batch) {
        const result = storedJsonOr(storedResults.get(check.key), isResult, null)
        if (result === null) pending.push(check)
        else results.set(check, result)
      }
    }
    let done = 0
    const runBatch = async (batch: readonly PlannedCheck[]) => {
      const batchResults = await Promise.all(batch.map(({ task }) => run(task, signal)))
      batch.forEach((check, at) => results.set(check, batchResults[at]))
      const completeResults = batch.flatMap(({ key }, at) =>
        batchResults[at].unread === null ? [{ key, result: JSON.stringify(batchResults[at]) }] : [],
      )
      store.quality.saveResults(completeResults, clock.nowMs())
      done += batch.length
      onProgress?.({ done, total: pending.length, message: 'files checked' })
    }
    // Two batches run at a time; otherwise the threads would wait for the last check of each batch.
    let previousBatch: Promise<void> = Promise.resolve()
    if (pending.length > 0) onProgress?.({ done, total: pending.length, message: 'files checked' })
    for (let from = 0; from < pending.length; from += CHECKS_PER_BATCH) {
      const batch = runBatch(pending.slice(from, from + CHECKS_PER_BATCH))
      batch.catch(() => {})
      await previousBatch
      signal.throwIfAborted()
      previousBatch = batch
    }
    await previousBatch
    signal.throwIfAborted()
    return results
  }

  /** @param hasWholeSeries true if these are all files of their series */
  async function checksOfFiles(files: readonly CachedFile[], hasWholeSeries: boolean): Promise<PlannedCheck[]> {
    const checks: PlannedCheck[] = []
    const planDeps = { folder: store.folder, filesOf: createSeriesFilesOf(store, hasWholeSeries ? files : []) }
    for (const [at, file] of files.entries()) {
      if (at % FILES_AT_ONCE === 0) await nextTurn()
      checks.push(...checksOfFile(planDeps, file))
    }
    return checks
  }

  return {
    async check(filter, options) {
      const { connectionId, ...fileFilter } = filter
      const owners = [connectionId, computedOwner(connectionId)]
      const cachedFiles = await filesMatching(store, { ...fileFilter, connectionIds: owners }, options.signal)
      const ownFiles = ownFilesMatching(store, filter)
      const files = [...cachedFiles, ...ownFiles]
      const checks = [
        ...(await checksOfFiles(cachedFiles, isOfWholeSeries(filter))),
        ...checksOfVenues(store, cachedFiles.filter(isServed)),
        ...ownFiles.map((file) => checkOfOwnFile(store, file)),
      ]
      const results = await resultsOf(checks, options)
      const found = [
        ...checks.flatMap((check) => findingsOf(check, results.get(check))),
        ...missingBetweenFiles(store, checks, results),
        ...republishedFindings(store, files),
      ]
      return reportOf(store, filter, files, found, unreadIn(checks, results))
    },
    async checkFiles(files, options) {
      const fileChecks = await checksOfFiles(files, false)
      const venueChecks = checksOfVenues(store, await filesToCompare(store, files, options.signal))
      const checks = [
        ...fileChecks,
        ...venueChecks.filter((check) => check.files.some((file) => files.some(isSameFile(file)))),
      ]
      const results = await resultsOf(checks, options)
      const accepted = store.quality.acceptedFindings()
      const isOpen = (each: FoundFinding) => !accepted.has(acceptedKey(each.series.connectionId, namedFinding(each)))
      return checks.flatMap((check) => findingsOf(check, results.get(check))).filter(isOpen).length
    },
    close: pool.close,
  }
}

/** Tells whether a file holds metrics of the service, which are compared across venues. */
const isServed = ({ series: { kind, connectionId } }: CachedFile): boolean =>
  kind === 'metrics' && !isComputedOwner(connectionId)

/** Tells whether a filter selects whole series, that is, all files of every series that it selects. */
const isOfWholeSeries = ({ startDay, endDay, origins, periods }: FileFilter): boolean =>
  [startDay, endDay, origins, periods].every((limit) => limit === undefined)

const isSameFile = (file: CachedFile) => (other: CachedFile) =>
  other.period === file.period && seriesName(other.series) === seriesName(file.series)
const seriesName = ({ connectionId, dataset, exchange, symbol, interval, timestamp }: OwnedSeries) =>
  [connectionId, dataset, exchange, symbol, interval, timestamp].join(' ')

/** Finds the files of other venues to compare these files with. */
async function filesToCompare(store: Store, files: readonly CachedFile[], signal: AbortSignal): Promise<CachedFile[]> {
  const comparedFiles = files.filter((file) => isServed(file) && Object.hasOwn(venueColumns, file.series.dataset))
  const found: CachedFile[] = []
  for (const connectionId of new Set(comparedFiles.map(({ series }) => series.connectionId))) {
    const connectionFiles = comparedFiles.filter(({ series }) => series.connectionId === connectionId)
    const datasets = [...new Set(connectionFiles.map(({ series }) => series.dataset))]
    const periods = [...new Set(connectionFiles.map(({ period }) => period))]
    found.push(...(await filesMatching(store, { connectionId, kind: 'metrics', datasets, periods }, signal)))
  }
  return found
}

async function filesMatching(store: Store, filter: FileFilter, signal: AbortSignal): Promise<CachedFile[]> {
  const files: CachedFile[] = []
  for (;;) {
    const last = files.at(-1)
    const page = store.files.page(filter, last ? { series: last.series, period: last.period } : null, FILES_AT_ONCE)
    files.push(...page)
    if (page.length < FILES_AT_ONCE) return files
    await nextTurn()
    signal.throwIfAborted()
  }
}

/** Finds the files of own datasets, once for every owner of their rows; what they lack, such as a clock, is not asked. */
function ownFilesMatching(store: Store, filter: FileFilter & { connectionId: string }): CachedFile[] {
  const { connectionId, datasets, exchanges, symbols, pairs, intervals, startDay, endDay } = filter
  if (filter.kind === 'raw' || filter.origins || filter.periods || filter.timestamps) return []
  const isWanted = ({ series, ...file }: CachedFile): boolean =>
    (exchanges?.includes(series.exchange) ?? true) &&
    (symbols?.includes(series.symbol) ?? true) &&
    (intervals?.includes(series.interval) ?? true) &&
    (pairs?.some(({ exchange, symbol }) => exchange === series.exchange && symbol === series.symbol) ?? true) &&
    file.endDay > (startDay ?? -Infinity) &&
    file.startDay < (endDay ?? Infinity)
  return store.ownData
    .list()
    .filter(({ name }) => datasets?.includes(ownDatasetId(name)) ?? true)
    .flatMap((dataset) => filesOfOwners(store, dataset, connectionId).filter(isWanted))
}

type FoundFinding = RowFinding & { series: OwnedSeries }

const findingsOf = ({ series }: PlannedCheck, result: QualityResult | undefined): FoundFinding[] =>
  (result?.findings ?? []).map((finding) =>
    'exchange' in finding
      ? { ...finding, series: { ...series, exchange: finding.exchange, symbol: finding.symbol } }
      : { ...finding, series },
  )

const isOfOneFile = <Check extends PlannedCheck>(
  check: Check,
): check is Check & { task: Extract<QualityTask, { name: 'file' | 'events' }> } =>
  check.task.name === 'file' || check.task.name === 'events'

const unreadIn = (checks: readonly PlannedCheck[], results: ReadonlyMap<PlannedCheck, QualityResult>) =>
  checks.flatMap((check) => {
    const message = results.get(check)?.unread
    return message && isOfOneFile(check) ? [{ path: check.task.slices[0].path, message }] : []
  })

/**
 * Finds gaps between consecutive files of a series. Days between two files count only if the service has said that it
 * has none of them, because other days may just not have been downloaded; own datasets have all their days here.
 */
function missingBetweenFiles(
  store: Store,
  checks: readonly PlannedCheck[],
  results: ReadonlyMap<PlannedCheck, QualityResult>,
): FoundFinding[] {
  const bySeries = new Map<string, PlannedCheck[]>()
  for (const check of checks) {
    if (!isOfOneFile(check)) continue
    const key = JSON.stringify(check.series)
    const sameSeries = bySeries.get(key)
    if (sameSeries) sameSeries.push(check)
    else bySeries.set(key, [check])
  }
  return [...bySeries.values()].flatMap((seriesChecks) => {
    const found: FoundFinding[] = []
    let reachedDay: number | null = null
    let lastMs: number | null = null
    let longestEmpty = 0
    const sortedChecks = seriesChecks.toSorted((a, b) => a.files[0].startDay - b.files[0].startDay)
    for (const check of sortedChecks) {
      const { series, files } = check
      const [{ startDay, endDay }] = files
      const result = results.get(check)
      const intervalMs = (parseInterval(series.interval) ?? 60) * 1000
      const isGap = () => isOwn(series) || isAbsent(store, series, reachedDay ?? 0, startDay)
      if (reachedDay !== null && startDay > reachedDay && !isGap()) lastMs = null
      const firstMs = result?.firstMs ?? null
      const ownEmpty = result?.longestEmpty ?? 0
      const mostEmpty = qualityLimits.emptyRuns * Math.max(longestEmpty, ownEmpty)
      if (lastMs !== null && firstMs !== null && firstMs - lastMs > (mostEmpty + 1) * intervalMs)
        found.push(...missingBetween(lastMs, firstMs, intervalMs).map((each) => ({ ...each, series })))
      longestEmpty = ownEmpty
      lastMs = Math.max(lastMs ?? -Infinity, result?.lastMs ?? -Infinity)
      if (!Number.isFinite(lastMs)) lastMs = null
      reachedDay = Math.max(reachedDay ?? -Infinity, endDay)
    }
    return found
  })
}

/** Tells whether the service has said, for every day in a range, that it has no data. */
function isAbsent({ unavailable }: Store, series: OwnedSeries, startDay: number, endDay: number): boolean {
  const days = new Set<number>()
  for (const { period } of unavailable.absentPeriods(series, startDay, endDay)) {
    const { start, end } = periodDays(period) ?? { start: 0, end: 0 }
    for (let day = Math.max(startDay, start); day < Math.min(endDay, end); day++) days.add(day)
  }
  return days.size === endDay - startDay
}

const republishedFindings = ({ files: index, kept }: Store, files: readonly CachedFile[]): FoundFinding[] =>
  files.flatMap((file) => {
    if (file.changedUpstreamAtMs === null) return []
    const from = file.startDay * MS_PER_DAY
    const imported = kept.noteOf(file.sha256)
    const noticed = dayOf(file.changedUpstreamAtMs)
    const detail = imported
      ? `the file of the service took the place of the imported one on ${noticed}, from which it differs: ${imported}`
      : `the service published ${file.period} again; a refresh noticed it on ${noticed}`
    const count = index.facts(file.series, file.period)?.rows ?? 0
    const noValues = { column: null, value: null, expected: null }
    return [{ ...noValues, kind: 'republished', from, to: from + MS_PER_DAY, count, detail, series: file.series }]
  })

function reportOf(
  store: Store,
  { connectionId, startDay = -Infinity, endDay = Infinity }: FileFilter & { connectionId: string },
  files: readonly CachedFile[],
  found: readonly FoundFinding[],
  unread: QualityReport['unread'],
): QualityReport {
  const accepted = store.quality.acceptedFindings()
  const isInRange = ({ from }: FoundFinding) => from >= startDay * MS_PER_DAY && from < endDay * MS_PER_DAY
  const judgedFindings = found.filter(isInRange).map((each): JudgedFinding => {
    const finding = namedFinding(each)
    const note = accepted.get(acceptedKey(connectionId, finding))
    return { ...finding, accepted: note ? { note: note.note, at: note.acceptedAtMs } : null }
  })
  judgedFindings.sort((a, b) => compareFindings(a, b))
  return {
    findings: judgedFindings.slice(0, MOST_FINDINGS),
    more: Math.max(0, judgedFindings.length - MOST_FINDINGS),
    files: files.length,
    days: daysOf(files, startDay, endDay),
    unread,
  }
}

function namedFinding({ series, kind, column, from, to, count, value, expected, detail }: FoundFinding): Finding {
  const { dataset, exchange, symbol, interval, timestamp } = series
  const found = { kind, column, from, to, count, value, expected, detail }
  const origin = isComputedOwner(series.connectionId) ? { origin: 'computed' as const } : {}
  return { dataset, exchange, symbol, interval, timestamp, day: dayOfFinding(found), ...found, ...origin }
}

const sortKeys = ['dataset', 'exchange', 'symbol', 'interval', 'timestamp'] as const

function compareFindings(a: Finding, b: Finding): number {
  for (const key of sortKeys) if (a[key] !== b[key]) return a[key] < b[key] ? -1 : 1
  return a.from - b.from
}

/** Counts the days that files cover; a day in both a monthly and a daily file counts once. */
function daysOf(files: readonly CachedFile[], startDay: number, endDay: number): number {
  const reachedDayByKey = new Map<string, number>()
  let days = 0
  for (const file of files.toSorted((a, b) => a.startDay - b.startDay)) {
    const key = JSON.stringify(file.series)
    const from = Math.max(file.startDay, startDay, reachedDayByKey.get(key) ?? -Infinity)
    const to = Math.min(file.endDay, endDay)
    days += Math.max(0, to - from)
    reachedDayByKey.set(key, Math.max(to, reachedDayByKey.get(key) ?? -Infinity))
  }
  return days
}
