/**
 * Answers requests for portfolio data: fetches the missing part of a history, stores it, and uses stored data when the
 * service is unavailable.
 */
import { setImmediate as immediate } from 'node:timers/promises'
import {
  idsIn,
  queryTextOf,
  tickersOf,
  type HistoryRequest,
  type LiveRequest,
  type PortfolioRequest,
  type TickersRequest,
} from '#shared/catalog/portfolioRequest.ts'
import type { PortfolioFreshness } from '#shared/contract/areas/portfolio.ts'
import { AppError, toAppError, type ErrorShape } from '#shared/contract/errors.ts'
import type { HistoryMatrix, PortfolioSnapshot } from '#shared/portfolio/dailySeries.ts'
import { freshUntil } from '#shared/portfolio/freshness.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { type DayNumber, dayFromNumber } from '#shared/time/periods.ts'
import { isUnanswered } from '#core/clients/httpErrors.ts'
import type { PortfolioService, RequestedDays } from '#core/clients/portfolioService.ts'
import type { Clock } from '#core/ports.ts'
import type { FetchInfo, RequestKey, StoredRequest } from '#core/store/portfolioRequests.ts'
import type { PortfolioStore } from '#core/store/portfolioStore.ts'
import type { DayRange } from '#shared/time/ranges.ts'
import { agree } from '#shared/units/plurals.ts'
import { isDay } from '#core/store/storedJson.ts'

/** The portfolio service of one connection. */
interface ConnectedPortfolio {
  connectionId: string
  /**
   * Returns access to the service; called only when something has to be requested. Rejects if the connection has no
   * portfolio service.
   */
  access(): Promise<PortfolioAccess>
}

interface PortfolioAccess {
  service: PortfolioService
  url: string
}

export interface ServedAnswer<Value> {
  value: Value
  freshness: PortfolioFreshness
  /** True if the response contained new data. */
  changed: boolean
}

/** Half-open range of days; null for an open end. */
interface OpenDayRange {
  start: DayNumber | null
  end: DayNumber | null
}

interface HistoryOptions {
  refresh?: boolean
  /**
   * True if the answer only fills a list; the portfolio then does not count as used, because the user did not open it.
   */
  isPreview?: boolean
}

/** Answers of one connection's portfolio service, from the store or from a new request. */
export interface Portfolio {
  connectionId: string
  history(
    request: HistoryRequest,
    range: OpenDayRange,
    options: HistoryOptions,
    signal: AbortSignal,
  ): Promise<ServedAnswer<HistoryMatrix>>
  /** Reads the whole history that is stored, without a request; null if none is. */
  storedHistory(request: HistoryRequest): Promise<HistoryMatrix | null>
  live(request: LiveRequest, refresh: boolean, signal: AbortSignal): Promise<ServedAnswer<PortfolioSnapshot>>
  tickers(request: TickersRequest, refresh: boolean, signal: AbortSignal): Promise<ServedAnswer<string[]>>
  /** Finds the stored answer to this request. */
  find(request: PortfolioRequest): StoredRequest | undefined
}

export function createPortfolio(store: PortfolioStore, clock: Clock, source: ConnectedPortfolio): Portfolio {
  const answers = createStoredAnswers(store, clock, source.connectionId)
  return {
    connectionId: source.connectionId,
    find: answers.find,
    history: createHistory(store, clock, source, answers),
    async storedHistory(request) {
      const known = answers.find(request)
      if (!known?.range) return null
      return store.days(known.id, { start: FIRST_DAY, end: LAST_DAY }, tickersOf(request) ?? [], () => undefined)
    },
    live: (request, refresh, signal) =>
      answerWithoutRange(
        { source, answers, request, refresh },
        ({ id }) => store.snapshot(id, null),
        async (access) => {
          const { value, problems } = await access.service.snapshot(request, signal)
          return store.saveSnapshot(answers.keyOf(request), value, answers.origin(access, problems))
        },
      ),
    tickers: (request, refresh, signal) =>
      answerWithoutRange(
        { source, answers, request, refresh },
        ({ id }) => store.tickerLists(id, 1).at(0)?.tickers,
        async (access) => {
          const { value, problems } = await access.service.tickers(request, signal)
          return store.saveTickers(answers.keyOf(request), value, answers.origin(access, problems))
        },
      ),
  }
}

/**
 * Fetches from the service and saves the response.
 * @returns whether it contained new data
 */
type FetchAndSave = (access: PortfolioAccess) => Promise<boolean>

interface Outcome {
  /** True if the service responded. */
  hasResponded: boolean
  changed: boolean
  trouble: ErrorShape | null
}

const NOT_REQUESTED: Outcome = { hasResponded: false, changed: false, trouble: null }

/**
 * Sends a request. If the service cannot be reached and no refresh was requested, a stored answer (if there is one) is
 * used, and the reason becomes part of the outcome.
 */
async function requestFrom(
  source: ConnectedPortfolio,
  known: StoredRequest | undefined,
  refresh: boolean,
  fetchAndSave: FetchAndSave,
): Promise<Outcome> {
  let access: PortfolioAccess | null = null
  try {
    access = await source.access()
    return { hasResponded: true, changed: await fetchAndSave(access), trouble: null }
  } catch (thrown) {
    const error = toAppError(thrown)
    if (known && !refresh && (isUnanswered(error) || !access))
      return { hasResponded: false, changed: false, trouble: error.toShape() }
    throw !known && error.code === 'offline' ? new AppError('not-here') : error
  }
}

/** Reads stored answers of one connection and judges their freshness. */
interface StoredAnswers {
  keyOf(request: PortfolioRequest): RequestKey
  find(request: PortfolioRequest): StoredRequest | undefined
  isFresh(request: PortfolioRequest, stored: StoredRequest): boolean
  /** Notes that the user chose the ids in a request that was answered. */
  noteUse(request: PortfolioRequest): void
  /** Returns the time, source and problems of a response that has just arrived. */
  origin(access: PortfolioAccess, problems: string[]): FetchInfo
  /** Reads the stored answer after a request with this outcome; throws `not-here` if there is none. */
  read<Value>(
    request: PortfolioRequest,
    value: (stored: StoredRequest) => Value | undefined | Promise<Value>,
    outcome: Outcome,
  ): Promise<ServedAnswer<Value> & { stored: StoredRequest }>
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
      return nowMs >= fetchedAtMs && nowMs < freshUntil(request, fetchedAtMs, store.lastCreatedMs(id))
    },
    noteUse: (request) => store.ids.noteUse(connectionId, idsIn(request), clock.nowMs()),
    origin: ({ url }, problems) => ({ fetchedAtMs: clock.nowMs(), source: url, problems }),
    async read(request, value, { hasResponded, changed, trouble }) {
      const stored = find(request)
      const found = stored && (await value(stored))
      if (!stored || found === undefined) throw new AppError('not-here')
      const { fetchedAtMs: fetchedAt, source: from, problems } = stored
      const freshness = { fetchedAt, source: from, asked: hasResponded, dataEndsAt: null, problems, trouble }
      return { value: found, freshness, changed, stored }
    },
  }
}

interface WithoutRangeInput {
  source: ConnectedPortfolio
  answers: StoredAnswers
  request: PortfolioRequest
  refresh: boolean
}

/** Answers a request without a range, whose response is stored completely or not at all. */
async function answerWithoutRange<Value>(
  { source, answers, request, refresh }: WithoutRangeInput,
  read: (stored: StoredRequest) => Value | undefined,
  fetchAndSave: FetchAndSave,
): Promise<ServedAnswer<Value>> {
  const known = answers.find(request)
  const isDue = refresh || !known || !answers.isFresh(request, known)
  const outcome = isDue ? await requestFrom(source, known, refresh, fetchAndSave) : NOT_REQUESTED
  const answer = await answers.read(request, read, outcome)
  answers.noteUse(request)
  return answer
}

/** Day number of 9999-12-31, used for a range without an end. */
const LAST_DAY = 2_932_896

/**
 * Creates a function that answers requests for histories and fetches only the days that are missing or may have
 * changed.
 */
function createHistory(
  store: PortfolioStore,
  clock: Clock,
  source: ConnectedPortfolio,
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

  /**
   * Saves a history in parts.
   * @returns whether it contained new data
   */
  async function save(key: RequestKey, parts: HistoryPart[], origin: FetchInfo): Promise<boolean> {
    let isNew = false
    for (const { days, matrix } of parts) {
      const saved = store.saveDays(key, days, matrix, origin)
      isNew ||= saved.added + saved.changed > 0
      await immediate()
    }
    return isNew
  }

  return async (request, range, { refresh = false, isPreview = false }, signal) => {
    const today = Math.floor(clock.nowMs() / MS_PER_DAY)
    const requestedRange = { start: range.start ?? FIRST_DAY, end: Math.min(range.end ?? today, today) }
    if (requestedRange.start >= requestedRange.end)
      throw new AppError('bad-input', 'No complete days in this range yet.')
    const known = answers.find(request)
    const rangesToRequest = missingRanges(requestedRange, storedDays(request, known), refresh)
    // Becomes true as soon as one of the ranges has brought new data, even if others cannot be fetched.
    let changed = false
    const fetchAll: FetchAndSave = async (access) => {
      while (rangesToRequest.length > 0) {
        const [days] = rangesToRequest
        const { value, problems } = await access.service.history(request, requestedDays(days, today), signal)
        const parts = splitHistory(days, value, known?.range ?? null)
        if (await save(answers.keyOf(request), parts, answers.origin(access, problems))) changed = true
        rangesToRequest.shift()
      }
      return changed
    }
    const outcome = rangesToRequest.length > 0 ? await requestFrom(source, known, refresh, fetchAll) : NOT_REQUESTED
    const damageProblems: string[] = []
    const read = ({ id }: StoredRequest) =>
      store.days(id, { start: requestedRange.start, end: range.end ?? LAST_DAY }, tickersOf(request) ?? [], (days) =>
        damageProblems.push(describeDamagedDays(days)),
      )
    const { stored, ...answer } = await answers.read(request, read, outcome)
    if (!isPreview) answers.noteUse(request)
    const lastDay = store.lastDay(stored.id, LAST_DAY)
    const gaps = rangesToRequest.flatMap((days) => describeMissingDays(days, stored.range))
    const problems = [...stored.problems, ...damageProblems, ...gaps, ...warnIfEndsEarly(stored, lastDay)]
    const dataEndsAt = lastDay === null || !isRequestedToTheEnd(stored) ? null : lastDay * MS_PER_DAY
    return { ...answer, changed, freshness: { ...answer.freshness, problems, dataEndsAt } }
  }
}

/**
 * Tells whether a history was requested up to the day of the request; otherwise the service may have later data.
 */
const isRequestedToTheEnd = ({ range, fetchedAtMs }: StoredRequest) =>
  range !== null && range.end >= Math.floor(fetchedAtMs / MS_PER_DAY)

/** Day number of 0000-01-01, used for “from the beginning” because no service has earlier data. */
export const FIRST_DAY: DayNumber = -719_528

/** Number of recent days of a history that are requested again, because the service may still correct them. */
const OVERLAP_DAYS = 5

/** Days of a history that are stored. */
interface KnownDays {
  range: DayRange
  /** The last day of the range that has values. */
  lastDay: DayNumber | null
  isFresh: boolean
}

/**
 * Computes the ranges to request so that the wanted days are stored: the days before the stored range and, if there may
 * be newer values, the last days of the stored range and those after it. A refresh requests all wanted days. The
 * requested ranges always touch the stored range, so that it stays contiguous.
 */
export function missingRanges(wantedDays: DayRange, known: KnownDays | null, refresh: boolean): DayRange[] {
  if (!known) return [wantedDays]
  const { range, lastDay, isFresh } = known
  if (refresh) return [{ start: Math.min(wantedDays.start, range.end), end: Math.max(wantedDays.end, range.start) }]
  const tailStart = lastDay === null ? range.start : Math.max(range.start, lastDay - OVERLAP_DAYS)
  const ranges: DayRange[] = []
  if (wantedDays.end > range.end || (!isFresh && wantedDays.end > tailStart))
    ranges.push({ start: tailStart, end: Math.max(wantedDays.end, range.end) })
  if (wantedDays.start < range.start) ranges.push({ start: wantedDays.start, end: range.start })
  return ranges
}

/** Number of cells saved per transaction, which takes some milliseconds. */
const CELLS_PER_TRANSACTION = 100_000

interface HistoryPart {
  days: DayRange
  matrix: HistoryMatrix
}

/**
 * Splits a history into parts that are saved one after the other, so that other work can run in between. Together they
 * cover the requested days. If the history begins before the stored range, its last days come first: each part then
 * touches the stored range, which stays contiguous.
 */
export function splitHistory(
  requested: DayRange,
  matrix: HistoryMatrix,
  stored: DayRange | null,
  cellsPerPart = CELLS_PER_TRANSACTION,
): HistoryPart[] {
  const { days, columns, values } = matrix
  const width = columns.length
  const rowsPerPart = Math.max(1, Math.floor(cellsPerPart / Math.max(1, width)))
  const parts: HistoryPart[] = []
  for (let from = 0; from === 0 || from < days.length; from += rowsPerPart) {
    const to = Math.min(from + rowsPerPart, days.length)
    const start = from === 0 ? requested.start : clampToRange(requested, days[from])
    const end = to === days.length ? requested.end : clampToRange(requested, days[to])
    parts.push({
      days: { start, end },
      matrix: { days: days.subarray(from, to), columns, values: values.subarray(from * width, to * width) },
    })
  }
  return stored && requested.start < stored.start ? parts.reverse() : parts
}

/** Limits a day to the requested range, because a service may send more days than requested. */
const clampToRange = ({ start, end }: DayRange, day: number) => Math.min(Math.max(day, start), end)

/** Number of days by which a history usually ends before the day of the request. */
const USUAL_DELAY_DAYS = 3

/**
 * Warns if a history that was requested up to the day of the request ends well before that day, as it does when the
 * subscription includes no later days.
 */
export function warnIfEndsEarly({ range, fetchedAtMs }: StoredRequest, lastDay: DayNumber | null): string[] {
  const requestDay = Math.floor(fetchedAtMs / MS_PER_DAY)
  if (lastDay === null || !range || range.end < requestDay || requestDay - lastDay <= USUAL_DELAY_DAYS) return []
  const distanceText = `${requestDay - lastDay} days before the request`
  return [
    `the last day is ${dayFromNumber(lastDay)}, ${distanceText}: the service has no later one, or the subscription does not include it`,
  ]
}

/** Describes the days of a range that could not be requested and are not stored. */
function describeMissingDays(missing: DayRange, stored: DayRange | null): string[] {
  if (!stored) return []
  const problems: string[] = []
  if (missing.start < stored.start) problems.push(`days before ${dayFromNumber(stored.start)} are missing`)
  if (missing.end > stored.end) problems.push(`days after ${dayFromNumber(stored.end - 1)} are missing`)
  return problems
}

/** Describes the days whose stored rows cannot be read. */
function describeDamagedDays(days: readonly DayNumber[]): string {
  const firstText = isDay(days[0]) ? dayFromNumber(days[0]) : 'an invalid day'
  const damagedText = agree(
    days.length,
    `the stored day ${firstText} is damaged and was`,
    `${days.length} stored days (the first is ${firstText}) are damaged and were`,
  )
  return `${damagedText} left out; “Refresh” fetches the history again`
}

/**
 * Returns the days to request; an open end of the range is left open, because the service knows best where its data
 * begins and ends.
 */
const requestedDays = ({ start, end }: DayRange, today: DayNumber): RequestedDays => ({
  start: start === FIRST_DAY ? null : dayFromNumber(start),
  end: end >= today ? null : dayFromNumber(end - 1),
})
