import { join } from 'node:path'
import type { FindFunding } from '#core/funding/instrumentFunding.ts'
import type { OpenPortfolio } from '#core/portfolio/portfolios.ts'
import type { Clock } from '#core/ports.ts'
import { ownKey } from '#core/own/ownPlan.ts'
import type { ChangedFiles } from '#core/series/changedFiles.ts'
import type { Store } from '#core/store/store.ts'
import type { HistoryRequest } from '#shared/catalog/portfolioRequest.ts'
import { type TimestampSource, timestampSources } from '#shared/catalog/intervals.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { HistoryMatrix } from '#shared/portfolio/dailySeries.ts'
import type { BreakdownInput } from '#shared/lab/breakdowns.ts'
import { PanelError } from '#shared/lab/panel.ts'
import { conflictWarnings } from '#shared/lab/fundingWarnings.ts'
import { sourceWarnings } from '#shared/lab/sourceWarnings.ts'
import { formulasOf, kindFacts, readsEveryColumn } from '#shared/lab/kinds.ts'
import { splitColumn } from '#shared/lab/cacheColumns.ts'
import { neededDiskBytes, refuseLargeStudy } from '#shared/lab/studyMemory.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import type { DailyValues, UniverseRows } from '#shared/lab/universe.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import {
  cachedColumns,
  type CachePlan,
  type CacheRequest,
  type CacheStudy,
  datasetsByEvery,
  findMissingFiles,
  type MissingFile,
  planCachePanel,
} from './cachePlan.ts'
import { type FundingRequest, fundingTable, goesByFunding, studyFunding, withFunding } from './studyFunding.ts'
import { planSize, type StudyTask } from './studyTask.ts'
import { regimeRequest, universeRequest } from './sourceHistories.ts'
import { refuseWithoutRoom } from './spill.ts'

export interface CacheSourceDeps {
  store: Store
  clock: Clock
  openPortfolio: OpenPortfolio
  fundingOf: FindFunding
  /** Detects files that were changed outside the app; null to trust the cache folder. */
  changedFiles: ChangedFiles | null
  dataDir: string
  /** Memory limit for the cells of a study before they are moved to a file; tests make it small. */
  mostMemoryBytes?: number
}

/** Returns the folder for the cells of studies that do not fit into memory. */
export const scratchFolderOf = (dataDir: string): string => join(dataDir, 'scratch')

interface CacheTask {
  task: StudyTask
  missing: MissingFile[]
}

/** Number of days before the start of a study that are also read, to find the daily row that applies at the start. */
const DAYS_BEFORE = 45

/** Finds the cached files, members and regimes of a study; throws a `StudyError` or a `PanelError`. */
export async function cacheTask(
  deps: CacheSourceDeps,
  study: CacheStudy,
  request: FundingRequest,
  signal: AbortSignal,
): Promise<CacheTask> {
  const { store, clock } = deps
  const { connectionId, names } = request
  const scratchFolder = scratchFolderOf(deps.dataDir)
  const { id, tier } = connectionId === '' ? store.connections.active() : store.connections.find(connectionId)
  const { tried, ...needs } = studyNeeds(deps, study, id)
  const [ownClock, otherClock = null] = clocksOf(study)
  const planFor = (timestamp: TimestampSource) =>
    planCachePanel(store, clock, { ...needs, timestamp, names, connectionId: id, tier })
  const ownPlan = planFor(ownClock)
  const againstPlan = otherClock && otherClock !== ownClock ? planFor(otherClock) : null
  // A study of both clocks holds a few columns of a symbol at a time.
  if (!kindFacts(study.kind).readsBothClocks)
    refuseLargePlan(study, [ownPlan.plan, ...(otherClock ? [(againstPlan ?? ownPlan).plan] : [])], scratchFolder)
  const universe = await universeRows(deps, study, id, signal)
  const breakdowns = await breakdownsOf(deps, study, id, signal)
  const funding = goesByFunding(study)
    ? await studyFunding(deps, study, { ...request, connectionId: id }, signal)
    : null
  const exchanges = [...new Set(ownPlan.plan.symbols.map(({ exchange }) => exchange))]
  const plannedWith = (plan: CachePlan) => (funding ? withFunding(plan, funding) : plan)
  const against = otherClock && { plan: plannedWith((againstPlan ?? ownPlan).plan), universe }
  return {
    task: {
      study,
      ...(tried && { columns: tried }),
      rows: { plan: plannedWith(ownPlan.plan), universe },
      against,
      warnings: [
        ...sourceWarnings(needs, exchanges, clocksOf(study), store.venues.of(id)),
        ...conflictWarnings(funding?.conflicts ?? []),
        ...ownPlan.warnings,
      ],
      breakdowns,
      funding: funding && fundingTable(funding, study, ownPlan.plan.symbols),
      scratchFolder,
      ...(deps.mostMemoryBytes !== undefined && { mostMemoryBytes: deps.mostMemoryBytes }),
    },
    missing: [...ownPlan.missing, ...(againstPlan?.missing ?? [])],
  }
}

/**
 * Throws a `PanelError` with the memory or disk space that a study would need if it is too large, before any rows are
 * read.
 */
function refuseLargePlan(study: CacheStudy, plans: readonly CachePlan[], scratchFolder: string): void {
  const sizes = plans.map(planSize)
  for (const size of sizes) refuseLargeStudy(study, size)
  const diskBytes = sizes.reduce((sum, size) => sum + neededDiskBytes(study, size), 0)
  refuseWithoutRoom(scratchFolder, diskBytes)
}

/** Facts about the cached files of a study, known without reading them. */
export interface CacheFacts {
  /** Names of the symbols, sorted by their UTF-16 code units. */
  symbols: string[]
  /** Number of cells of the largest dataset, including those without a row. */
  cells: number
  /** Text that changes when the files change. */
  fingerprint: string
  /** Time of the last download among the files. */
  newestFetchMs: number
}

/** Parts of a study that determine what it needs from the cache. */
export type CacheNeeds = Pick<CacheRequest, 'study' | 'formulas' | 'datasets' | 'extraDatasets'> & {
  /** Text that changes with what else the result depends on. */
  state?: string
}

/** Clocks whose rows a study reads, its own first. */
function clocksOf({ kind, source: { timestamp, against } }: CacheRequest['study']): readonly TimestampSource[] {
  if (kind !== undefined && kindFacts(kind).readsBothClocks) return timestampSources
  return [timestamp, ...(against ? [against] : [])]
}

/**
 * Finds what a study needs from the cache: the datasets of its formulas, or of the columns that it compares. A study
 * that names no columns to try tries those that are cached.
 */
export function studyNeeds(
  { store }: Pick<CacheSourceDeps, 'store'>,
  study: CacheStudy,
  connectionId: string,
): CacheNeeds & { tried?: string[] } {
  const formulas = formulasOf(study)
  if (readsEveryColumn(study)) {
    const { tier } = store.connections.find(connectionId)
    const { timestamp } = study.source
    const tried = cachedColumns(store, { study, formulas, timestamp, connectionId, tier })
    return { study, formulas: [...tried.map((formula) => ({ field: 'columns', formula })), ...formulas], tried }
  }
  if (study.kind !== 'clocks') return { study, formulas }
  const columns = study.columns?.flatMap((name) => splitColumn(name) ?? [])
  const columnsOf = (dataset: string) => (columns ?? []).flatMap((one) => (one.dataset === dataset ? [one.column] : []))
  const named = columns && [...new Set(columns.map(({ dataset }) => dataset))]
  const datasets = named ?? datasetsByEvery(store, study, timestampSources, connectionId)
  return { study, formulas: [], datasets: datasets.map((dataset) => ({ dataset, columns: columnsOf(dataset) })) }
}

/** Builds the request for the rows of a study and, if it compares clocks, also that for the rows by the other clock. */
function requestsOf({ store }: CacheSourceDeps, needs: CacheNeeds, connectionId: string): CacheRequest[] {
  const { tier } = store.connections.find(connectionId)
  const clocks = [...new Set(clocksOf(needs.study))]
  const { state: _, ...wanted } = needs
  return clocks.map((one) => ({ ...wanted, timestamp: one, connectionId, tier }))
}

/**
 * Describes the cached files of a study, for both clocks if it compares clocks; throws a `StudyError` or a
 * `PanelError`.
 */
export function cacheFacts(deps: CacheSourceDeps, needs: CacheNeeds, connectionId: string): CacheFacts {
  const plans = requestsOf(deps, needs, connectionId).map(
    (request) => planCachePanel(deps.store, deps.clock, request).plan,
  )
  const datasets = plans.flatMap((plan) => plan.datasets)
  return {
    symbols: plans[0].symbols.map(({ name }) => name),
    cells: Math.max(0, ...datasets.map(({ rows, files }) => rows * files.length)),
    fingerprint: [
      ...datasets.map(({ key }) => key),
      ...plans.flatMap(({ own = [] }) => own.map(ownKey)),
      needs.state ?? '',
    ].join(' '),
    newestFetchMs: Math.max(...datasets.map((dataset) => dataset.newestFetchMs)),
  }
}

/** Finds the files that a study needs and the cache does not have, for both clocks if the study compares clocks. */
export const missingFilesOf = (deps: CacheSourceDeps, needs: CacheNeeds, connectionId: string): MissingFile[] =>
  requestsOf(deps, needs, connectionId).flatMap((request) => findMissingFiles(deps.store, deps.clock, request))

/** Reads the members of the study's universe by day; null if the study names no universe. */
export async function universeRows(
  deps: CacheSourceDeps,
  study: CacheRequest['study'],
  connectionId: string,
  signal: AbortSignal,
): Promise<UniverseRows | null> {
  const { universe } = study.source
  if (universe === null) return null
  const request = universeRequest(universe)
  const label = `the universe of ${universe.size} (${universe.exchange})`
  const { days, columns, values } = await historyOf(deps, { study, connectionId, request, label }, signal)
  return { days, tickers: columns, members: Uint8Array.from(values, (value) => (value === 1 ? 1 : 0)) }
}

async function breakdownsOf(
  deps: CacheSourceDeps,
  study: CacheStudy,
  connectionId: string,
  signal: AbortSignal,
): Promise<BreakdownInput | null> {
  const { by } = study.source
  if (!by) return null
  if (by.regime === null) return { ...by, regimeValues: null }
  const { overlay } = by.regime
  const request = regimeRequest(overlay)
  const label = `the risk regime ${overlay}`
  const { days, values } = await historyOf(deps, { study, connectionId, request, label }, signal)
  return { ...by, regimeValues: presentDays({ days, values }) }
}

/** Drops the days without a value, because on such a day the last known value applies. */
export function presentDays({ days, values }: DailyValues): DailyValues {
  const presentRows = [...days.keys()].filter((row) => Number.isFinite(values[row]))
  return {
    days: Int32Array.from(presentRows, (row) => days[row]),
    values: Float64Array.from(presentRows, (row) => values[row]),
  }
}

interface WantedHistory {
  study: CacheRequest['study']
  connectionId: string
  request: HistoryRequest
  /** Name of the history in messages. */
  label: string
}

/**
 * Reads the daily rows for a study, from some days before its start on, and fetches those that are not cached; throws a
 * `PanelError` if some are unavailable.
 */
export async function historyOf(
  { openPortfolio }: CacheSourceDeps,
  { study, connectionId, request, label }: WantedHistory,
  signal: AbortSignal,
): Promise<HistoryMatrix> {
  const { startMs, endMs } = studyRange(study)
  const range = { start: Math.floor(startMs / MS_PER_DAY) - DAYS_BEFORE, end: Math.ceil(endMs / MS_PER_DAY) }
  try {
    const { value, freshness } = await openPortfolio(connectionId).history(request, range, {}, signal)
    if (freshness.trouble === null) return value
    throw new PanelError(`source: ${label} is only partly cached (${AppError.fromShape(freshness.trouble).message}).`)
  } catch (error) {
    if (error instanceof PanelError || signal.aborted) throw error
    throw new PanelError(`source: ${label} cannot be loaded: ${toAppError(error).message}`)
  }
}
