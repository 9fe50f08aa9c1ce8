import { setImmediate as immediate } from 'node:timers/promises'
import { idsIn, queryTextOf, tickersOf } from '#shared/catalog/portfolioRequest.ts'
import type { HistoryRequest, LiveRequest, PortfolioRequest, TickersRequest } from '#shared/catalog/portfolioRequest.ts'
import type { PortfolioFreshness } from '#shared/contract/areas/portfolio.ts'
import { AppError, toAppError, type ErrorShape } from '#shared/contract/errors.ts'
import type { DayMatrix, Snapshot } from '#shared/portfolio/dailyMatrix.ts'
import { freshUntil } from '#shared/portfolio/freshness.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import { isUnanswered } from '#core/clients/httpErrors.ts'
import type { PortfolioService } from '#core/clients/portfolioService.ts'
import type { Clock } from '#core/ports.ts'
import type { Fetched, RequestKey, StoredRequest } from '#core/store/portfolioRequests.ts'
import type { DayRange } from '#shared/time/ranges.ts'
import type { PortfolioStore } from '#core/store/portfolioStore.ts'
import { endsEarly } from './endsEarly.ts'
import { partsOf } from './parts.ts'
import { BEGINNING, rangesToAsk } from './rangesToAsk.ts'

/** The portfolio service of one connection. */
export interface PortfolioSource {
  connectionId: string
  /** Called only when something has to be asked. Rejects where the connection has no such service. */
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

export interface AskedRange {
  start: DayNumber | null
  /** Exclusive. */
  end: DayNumber | null
}

/** Answers of one connection's portfolio service, from here or from there. */
export interface Portfolio {
  connectionId: string
  history(
    request: HistoryRequest,
    range: AskedRange,
    refresh: boolean,
    signal: AbortSignal,
  ): Promise<Answered<DayMatrix>>
  live(request: LiveRequest, refresh: boolean, signal: AbortSignal): Promise<Answered<Snapshot>>
  tickers(request: TickersRequest, refresh: boolean, signal: AbortSignal): Promise<Answered<string[]>>
  /** Finds the stored form of this request. */
  find(request: PortfolioRequest): StoredRequest | undefined
}

/** 9999-12-31: stands for "without an end". */
const LAST_DAY = 2_932_896

/** Asks something of the service and saves the answer. @returns whether it brought something new */
type Question = (reached: ReachedService) => Promise<boolean>

interface Outcome {
  asked: boolean
  changed: boolean
  trouble: ErrorShape | null
}

const notAsked: Outcome = { asked: false, changed: false, trouble: null }

export function createPortfolio(store: PortfolioStore, clock: Clock, source: PortfolioSource): Portfolio {
  const { connectionId } = source
  const keyOf = (request: PortfolioRequest): RequestKey => ({
    connectionId,
    endpoint: request.endpoint,
    query: queryTextOf(request),
  })
  const isFresh = (request: PortfolioRequest, { id, fetchedAtMs }: StoredRequest) => {
    const nowMs = clock.nowMs()
    // A clock that was set back makes nothing fresh.
    return nowMs >= fetchedAtMs && nowMs < freshUntil(request, fetchedAtMs, store.lastMadeMs(id))
  }
  const fetched = ({ url }: ReachedService, problems: string[]): Fetched => ({
    fetchedAtMs: clock.nowMs(),
    source: url,
    problems,
  })

  /** Asks; where nobody can be asked or nobody answers, what is known has to do, and the reason is told. */
  async function ask(known: StoredRequest | undefined, refresh: boolean, question: Question): Promise<Outcome> {
    let reached: ReachedService | null = null
    try {
      reached = await source.reach()
      return { asked: true, changed: await question(reached), trouble: null }
    } catch (thrown) {
      const error = toAppError(thrown)
      if (known && !refresh && (isUnanswered(error) || !reached))
        return { asked: false, changed: false, trouble: error.toShape() }
      throw !known && error.code === 'offline' ? new AppError('not-here') : error
    }
  }

  async function answered<Value>(
    request: PortfolioRequest,
    value: (stored: StoredRequest) => Value | undefined | Promise<Value>,
    { asked, changed, trouble }: Outcome,
  ): Promise<Answered<Value> & { stored: StoredRequest }> {
    const stored = store.find(keyOf(request))
    const found = stored && (await value(stored))
    if (!stored || found === undefined) throw new AppError('not-here')
    store.ids.noteUse(connectionId, idsIn(request), clock.nowMs())
    const { fetchedAtMs: fetchedAt, source: from, problems } = stored
    const freshness = { fetchedAt, source: from, asked, dataEndsAt: null, problems, trouble }
    return { value: found, freshness, changed, stored }
  }

  /** Answers a request without a range, which is sent as a whole or not at all. */
  async function whole<Value>(
    request: PortfolioRequest,
    refresh: boolean,
    question: Question,
    read: (stored: StoredRequest) => Value | undefined,
  ): Promise<Answered<Value>> {
    const known = store.find(keyOf(request))
    const isTime = refresh || !known || !isFresh(request, known)
    return answered(request, read, isTime ? await ask(known, refresh, question) : notAsked)
  }

  async function history(
    request: HistoryRequest,
    range: AskedRange,
    refresh: boolean,
    signal: AbortSignal,
  ): Promise<Answered<DayMatrix>> {
    const today = Math.floor(clock.nowMs() / MS_PER_DAY)
    const want = { start: range.start ?? BEGINNING, end: Math.min(range.end ?? today, today) }
    if (want.start >= want.end) throw new AppError('bad-input', 'No day of this range has ended yet.')
    const key = keyOf(request)
    const known = store.find(key)
    const ranges = rangesToAsk(want, known?.span ? knownDays(request, known, known.span) : null, refresh)
    const missing = [...ranges]
    let changed = false
    const fetchAll: Question = async (reached) => {
      for (const each of ranges) {
        const { value, problems } = await reached.service.history(request, askedDays(each, today), signal)
        for (const part of partsOf(each, value, known?.span ?? null)) {
          const merged = store.saveDays(key, part.asked, part.matrix, fetched(reached, problems))
          changed ||= merged.added + merged.changed > 0
          await immediate()
        }
        missing.shift()
      }
      return changed
    }
    const outcome = ranges.length > 0 ? await ask(known, refresh, fetchAll) : notAsked
    const read = ({ id }: StoredRequest) =>
      store.days(id, { start: want.start, end: range.end ?? LAST_DAY }, tickersOf(request) ?? [])
    const { stored, ...answer } = await answered(request, read, outcome)
    const lastDay = store.lastDay(stored.id, LAST_DAY)
    const gaps = missing.flatMap((each) => notHere(each, stored.span))
    const problems = [...stored.problems, ...gaps, ...endsEarly(stored, lastDay)]
    const dataEndsAt = lastDay === null ? null : lastDay * MS_PER_DAY
    // Also where only some of the ranges could be asked for.
    return { ...answer, changed, freshness: { ...answer.freshness, problems, dataEndsAt } }
  }

  const knownDays = (request: HistoryRequest, known: StoredRequest, span: DayRange) => ({
    span,
    lastDay: store.lastDay(known.id, span.end),
    isFresh: isFresh(request, known),
  })

  return {
    connectionId,
    find: (request) => store.find(keyOf(request)),
    history,
    live: (request, refresh, signal) =>
      whole(
        request,
        refresh,
        async (reached) => {
          const { value, problems } = await reached.service.snapshot(request, signal)
          return store.saveSnapshot(keyOf(request), value, fetched(reached, problems))
        },
        ({ id }) => store.snapshot(id, null),
      ),
    tickers: (request, refresh, signal) =>
      whole(
        request,
        refresh,
        async (reached) => {
          const { value, problems } = await reached.service.tickers(request, signal)
          return store.saveTickers(keyOf(request), value, fetched(reached, problems))
        },
        ({ id }) => store.tickers(id, 1).at(0)?.tickers,
      ),
  }
}

/** A range that reaches to an open end is asked for without one: the service knows best where its data begin and end. */
const askedDays = ({ start, end }: DayRange, today: DayNumber) => ({
  start: start === BEGINNING ? null : dayFromNumber(start),
  end: end >= today ? null : dayFromNumber(end - 1),
})

/** Lists the days of a range that could not be requested and are not stored. */
function notHere(range: DayRange, span: DayRange | null): string[] {
  if (!span) return []
  const message: string[] = []
  if (range.start < span.start) message.push(`what lies before ${dayFromNumber(span.start)} is not here`)
  if (range.end > span.end) message.push(`what lies after ${dayFromNumber(span.end - 1)} is not here`)
  return message
}
