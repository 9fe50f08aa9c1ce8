import { setImmediate as immediate } from 'node:timers/promises'
import { idsIn, queryTextOf, tickersOf } from '#shared/catalog/portfolioRequest.ts'
import type { HistoryRequest, LiveRequest, PortfolioRequest, TickersRequest } from '#shared/catalog/portfolioRequest.ts'
import type { PortfolioFreshness } from '#shared/contract/areas/portfolio.ts'
import { AppError, toAppError, type ErrorShape } from '#shared/contract/errors.ts'
import type { DayMatrix, Snapshot } from '#shared/portfolio/dailyMatrix.ts'
import { freshUntil } from '#shared/portfolio/freshness.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import { isUnanswered } from '#core/clients/httpErrors.ts'
import type { PortfolioService } from '#core/clients/portfolioService.ts'
import type { Clock } from '#core/ports.ts'
import type { Fetched, RequestKey, StoredRequest } from '#core/store/portfolioRequests.ts'
import type { PortfolioStore } from '#core/store/portfolioStore.ts'
import {
  describeDamagedDays,
  describeMissingDays,
  FIRST_DAY,
  missingRanges,
  requestedDays,
  splitHistory,
  warnIfEndsEarly,
  type HistoryPart,
  type KnownDays,
} from './historyRanges.ts'

/** The portfolio service of one connection. */
export interface PortfolioSource {
  connectionId: string
  /** Called only when something has to be requested; rejects if the connection has no portfolio service. */
  reach(): Promise<ReachedService>
}

export interface ReachedService {
  service: PortfolioService
  url: string
}

export interface Answered<Value> {
  value: Value
  freshness: PortfolioFreshness
  /** True if the answer brought something new. */
  changed: boolean
}

/** Half-open range of days; null for an open end. */
export interface OpenDayRange {
  start: DayNumber | null
  end: DayNumber | null
}

/** Answers of one connection's portfolio service, stored ones or new ones. */
export interface Portfolio {
  connectionId: string
  history(
    request: HistoryRequest,
    range: OpenDayRange,
    refresh: boolean,
    signal: AbortSignal,
  ): Promise<Answered<DayMatrix>>
  live(request: LiveRequest, refresh: boolean, signal: AbortSignal): Promise<Answered<Snapshot>>
  tickers(request: TickersRequest, refresh: boolean, signal: AbortSignal): Promise<Answered<string[]>>
  /** Finds the stored form of this request. */
  find(request: PortfolioRequest): StoredRequest | undefined
}

export function createPortfolio(store: PortfolioStore, clock: Clock, source: PortfolioSource): Portfolio {
  const answers = createStoredAnswers(store, clock, source.connectionId)
  return {
    connectionId: source.connectionId,
    find: answers.find,
    history: createHistory(store, clock, source, answers),
    live: (request, refresh, signal) =>
      answerWhole(
        { source, answers, request, refresh },
        ({ id }) => store.snapshot(id, null),
        async (reached) => {
          const { value, problems } = await reached.service.snapshot(request, signal)
          return store.saveSnapshot(answers.keyOf(request), value, answers.origin(reached, problems))
        },
      ),
    tickers: (request, refresh, signal) =>
      answerWhole(
        { source, answers, request, refresh },
        ({ id }) => store.tickers(id, 1).at(0)?.tickers,
        async (reached) => {
          const { value, problems } = await reached.service.tickers(request, signal)
          return store.saveTickers(answers.keyOf(request), value, answers.origin(reached, problems))
        },
      ),
  }
}

/** Fetches from the service and saves the answer. @returns whether it brought something new */
type FetchAndSave = (reached: ReachedService) => Promise<boolean>

interface Outcome {
  /** True if the service answered. */
  requested: boolean
  changed: boolean
  trouble: ErrorShape | null
}

const NOT_REQUESTED: Outcome = { requested: false, changed: false, trouble: null }

/** Requests something. If the service cannot be reached, a stored answer is used and the reason becomes part of the outcome. */
async function requestFrom(
  source: PortfolioSource,
  known: StoredRequest | undefined,
  refresh: boolean,
  fetchAndSave: FetchAndSave,
): Promise<Outcome> {
  let reached: ReachedService | null = null
  try {
    reached = await source.reach()
    return { requested: true, changed: await fetchAndSave(reached), trouble: null }
  } catch (thrown) {
    const error = toAppError(thrown)
    if (known && !refresh && (isUnanswered(error) || !reached))
      return { requested: false, changed: false, trouble: error.toShape() }
    throw !known && error.code === 'offline' ? new AppError('not-here') : error
  }
}

/** Reads stored answers of one connection and judges their freshness. */
interface StoredAnswers {
  keyOf(request: PortfolioRequest): RequestKey
  find(request: PortfolioRequest): StoredRequest | undefined
  isFresh(request: PortfolioRequest, stored: StoredRequest): boolean
  /** Time and source of an answer that has just arrived. */
  origin(reached: ReachedService, problems: string[]): Fetched
  /** Reads the stored answer after a request with this outcome; throws `not-here` if there is none. */
  read<Value>(
    request: PortfolioRequest,
    value: (stored: StoredRequest) => Value | undefined | Promise<Value>,
    outcome: Outcome,
  ): Promise<Answered<Value> & { stored: StoredRequest }>
}

function createStoredAnswers(store: PortfolioStore, clock: Clock, connectionId: string): StoredAnswers {
  const keyOf = (request: PortfolioRequest): RequestKey => ({
    connectionId,
    endpoint: request.endpoint,
    query: queryTextOf(request),
  })
  const find = (request: PortfolioRequest) => store.find(keyOf(request))
  return {
    keyOf,
    find,
    isFresh(request, { id, fetchedAtMs }) {
      const nowMs = clock.nowMs()
      // A fetch time in the future means that the clock was set back, so the answer does not count as fresh.
      return nowMs >= fetchedAtMs && nowMs < freshUntil(request, fetchedAtMs, store.lastMadeMs(id))
    },
    origin: ({ url }, problems) => ({ fetchedAtMs: clock.nowMs(), source: url, problems }),
    async read(request, value, { requested, changed, trouble }) {
      const stored = find(request)
      const found = stored && (await value(stored))
      if (!stored || found === undefined) throw new AppError('not-here')
      store.ids.noteUse(connectionId, idsIn(request), clock.nowMs())
      const { fetchedAtMs: fetchedAt, source: from, problems } = stored
      const freshness = { fetchedAt, source: from, asked: requested, dataEndsAt: null, problems, trouble }
      return { value: found, freshness, changed, stored }
    },
  }
}

interface WholeRequest {
  source: PortfolioSource
  answers: StoredAnswers
  request: PortfolioRequest
  refresh: boolean
}

/** Answers a request without a range, which is fetched as a whole or not at all. */
async function answerWhole<Value>(
  { source, answers, request, refresh }: WholeRequest,
  read: (stored: StoredRequest) => Value | undefined,
  fetchAndSave: FetchAndSave,
): Promise<Answered<Value>> {
  const known = answers.find(request)
  const isDue = refresh || !known || !answers.isFresh(request, known)
  const outcome = isDue ? await requestFrom(source, known, refresh, fetchAndSave) : NOT_REQUESTED
  return answers.read(request, read, outcome)
}

/** The day 9999-12-31 stands for "without an end". */
const LAST_DAY = 2_932_896

/** Creates the answer to requests of histories, which fetches only the days that are missing or may have changed. */
function createHistory(
  store: PortfolioStore,
  clock: Clock,
  source: PortfolioSource,
  answers: StoredAnswers,
): Portfolio['history'] {
  const storedDays = (request: HistoryRequest, known: StoredRequest | undefined): KnownDays | null =>
    known?.range
      ? {
          range: known.range,
          lastDay: store.lastDay(known.id, known.range.end),
          isFresh: answers.isFresh(request, known),
        }
      : null

  /** Saves a history part by part. @returns whether it brought something new */
  async function save(key: RequestKey, parts: HistoryPart[], origin: Fetched): Promise<boolean> {
    let isNew = false
    for (const { days, matrix } of parts) {
      const merged = store.saveDays(key, days, matrix, origin)
      isNew ||= merged.added + merged.changed > 0
      await immediate()
    }
    return isNew
  }

  return async (request, range, refresh, signal) => {
    const today = Math.floor(clock.nowMs() / MS_PER_DAY)
    const requestedRange = { start: range.start ?? FIRST_DAY, end: Math.min(range.end ?? today, today) }
    if (requestedRange.start >= requestedRange.end)
      throw new AppError('bad-input', 'No complete days in this range yet.')
    const known = answers.find(request)
    const missing = missingRanges(requestedRange, storedDays(request, known), refresh)
    // Also set if only some of the ranges could be fetched.
    let changed = false
    const fetchAll: FetchAndSave = async (reached) => {
      while (missing.length > 0) {
        const [days] = missing
        const { value, problems } = await reached.service.history(request, requestedDays(days, today), signal)
        const parts = splitHistory(days, value, known?.range ?? null)
        if (await save(answers.keyOf(request), parts, answers.origin(reached, problems))) changed = true
        missing.shift()
      }
      return changed
    }
    const outcome = missing.length > 0 ? await requestFrom(source, known, refresh, fetchAll) : NOT_REQUESTED
    const left: string[] = []
    const read = ({ id }: StoredRequest) =>
      store.days(id, { start: requestedRange.start, end: range.end ?? LAST_DAY }, tickersOf(request) ?? [], (days) =>
        left.push(describeDamagedDays(days)),
      )
    const { stored, ...answer } = await answers.read(request, read, outcome)
    const lastDay = store.lastDay(stored.id, LAST_DAY)
    const gaps = missing.flatMap((days) => describeMissingDays(days, stored.range))
    const problems = [...stored.problems, ...left, ...gaps, ...warnIfEndsEarly(stored, lastDay)]
    const dataEndsAt = lastDay === null || !isAskedToTheEnd(stored) ? null : lastDay * MS_PER_DAY
    return { ...answer, changed, freshness: { ...answer.freshness, problems, dataEndsAt } }
  }
}

/** Tells whether a history was asked for up to the day of the asking; else its data may go on behind what is known. */
const isAskedToTheEnd = ({ range, fetchedAtMs }: StoredRequest) =>
  range !== null && range.end >= Math.floor(fetchedAtMs / MS_PER_DAY)
