import { setImmediate as nextTurn } from 'node:timers/promises'
import { dailyFilesFrom } from '#shared/catalog/dailyFiles.ts'
import type { DownloadPreview, DownloadRequest, LockedPart, PeriodState } from '#shared/contract/areas/downloads.ts'
import { dayOf, MS_PER_DAY } from '#shared/time.ts'
import type { Period } from '#shared/time/periods.ts'
import type { Clock } from '#core/ports.ts'
import type { Refusal } from '#core/store/answerStore.ts'
import type { Store } from '#core/store/store.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { refusalOf } from './refusals.ts'
import { isLocked, neededTier, periodStates, plannedPeriods, type PlannedPeriod } from './plan.ts'
import { seriesOfRequest } from './series.ts'
import { createUsualSize } from './usualSize.ts'

export interface PreviewDeps {
  store: Store
  clock: Clock
  /** Of the connection; null where unknown. */
  tier: number | null
  signal: AbortSignal
}

export interface PlannedSeries {
  series: OwnedSeries
  periods: readonly PlannedPeriod[]
  states: readonly PeriodState[]
  /** By period: whether a download fetches it. */
  wanted: readonly boolean[]
}

/** Series periods that are looked at without a pause. */
const SLICE = 2000
/** A period that still runs is fetched again when what is here is older than this. */
const PARTIAL_FRESH_MS = 3_600_000
/** What was not there is asked for again after a day, as long as it may still be published. */
const ABSENT_FRESH_MS = MS_PER_DAY
const LATE_PUBLICATION_DAYS = 40

/** The request, series by series, with pauses in which everything else goes on. */
export async function* planSeries(deps: PreviewDeps, request: DownloadRequest): AsyncGenerator<PlannedSeries> {
  const { store, clock, tier, signal } = deps
  const today = dayOf(clock.nowMs())
  const periods = plannedPeriods(request.startDay, request.endDay, today, dailyFilesFrom)
  const refusals = request.tryRefused ? [] : store.answers.refusals(request.connectionId)
  const listed = new Map<string, Set<string> | null>()
  let looked = 0
  for (const series of seriesOfRequest(request)) {
    looked += Math.max(1, periods.length)
    if (looked >= SLICE) {
      looked = 0
      await nextTurn()
      signal.throwIfAborted()
    }
    if (!listed.has(series.exchange)) listed.set(series.exchange, symbolsOf(store, series))
    const isListed = request.kind === 'raw' || (listed.get(series.exchange)?.has(series.symbol) ?? true)
    yield planOne(deps, request, { series, periods, isListed, isLocked: isLocked(series, tier, refusals) })
  }
}

function symbolsOf({ coverage }: Store, { connectionId, exchange }: OwnedSeries): Set<string> | null {
  const symbols = coverage.symbols(connectionId, exchange)
  return symbols.length > 0 ? new Set(symbols) : null
}

interface OneSeries {
  series: OwnedSeries
  periods: readonly PlannedPeriod[]
  isListed: boolean
  isLocked: boolean
}

function planOne({ store, clock }: PreviewDeps, request: DownloadRequest, one: OneSeries): PlannedSeries {
  const { series, periods } = one
  const first = periods.at(0)
  const last = periods.at(-1)
  if (!first || !last) return { series, periods, states: [], wanted: [] }
  const spans = store.files.spans(series, first.startDay, last.endDay)
  const answers = store.answers.absent(series, first.startDay, last.endDay)
  const absent = new Map(answers.map(({ period, seenAtMs }) => [period, seenAtMs]))
  const states = periodStates(periods, { ...one, spans, absent: new Set(absent.keys()) })
  const nowMs = clock.nowMs()
  const isWanted = ({ period, endDay }: PlannedPeriod, state: PeriodState): boolean => {
    if (state === 'locked') return request.tryLocked
    if (one.isLocked && !request.tryLocked) return false
    if (request.refresh) return true
    if (state === 'partial') return nowMs - (fetchedAtMs(store, series, period) ?? 0) >= PARTIAL_FRESH_MS
    if (state === 'absent') return mayBePublished(endDay, absent.get(period) ?? 0, nowMs)
    return state !== 'cached'
  }
  return { series, periods, states, wanted: periods.map((period, index) => isWanted(period, states[index])) }
}

const fetchedAtMs = ({ files }: Store, series: OwnedSeries, period: Period) => {
  const file = files.find(series, period)
  return file?.state === 'partial' ? file.fetchedAtMs : null
}

function mayBePublished(endDay: number, seenAtMs: number, nowMs: number): boolean {
  return nowMs - endDay * MS_PER_DAY < LATE_PUBLICATION_DAYS * MS_PER_DAY && nowMs - seenAtMs >= ABSENT_FRESH_MS
}

export async function previewOf(deps: PreviewDeps, request: DownloadRequest): Promise<DownloadPreview> {
  const usualSize = createUsualSize(deps.store.files)
  const refusals = deps.store.answers.refusals(request.connectionId)
  const files = { cached: 0, partial: 0, missing: 0, absent: 0, locked: 0, unknown: 0 }
  const locked = new Map<string, LockedPart>()
  const preview: DownloadPreview = {
    files,
    toFetch: 0,
    bytes: 0,
    withoutSize: 0,
    locked: [],
    firstPeriod: null,
    lastPeriod: null,
  }
  for await (const { series, periods, states, wanted } of planSeries(deps, request)) {
    preview.firstPeriod ??= periods.at(0)?.period ?? null
    preview.lastPeriod ??= periods.at(-1)?.period ?? null
    if (states.includes('locked')) locked.set(`${series.dataset}\n${series.interval}`, lockedPart(series, refusals))
    states.forEach((state, index) => {
      files[state]++
      if (!wanted[index]) return
      preview.toFetch++
      const bytes = usualSize(series, periods[index].endDay - periods[index].startDay)
      if (bytes === null) preview.withoutSize++
      else preview.bytes += bytes
    })
  }
  return { ...preview, locked: [...locked.values()] }
}

function lockedPart(series: OwnedSeries, refusals: readonly Refusal[]): LockedPart {
  const refusal = refusalOf(refusals, series)
  return {
    dataset: series.dataset,
    interval: series.interval,
    neededTier: neededTier(series),
    refusal: refusal ? { message: refusal.message, at: refusal.atMs } : null,
  }
}
