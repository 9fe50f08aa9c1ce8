/** Loads an answer of the portfolio service for a page, and reloads it when a newer one may exist. */
import { computed, onScopeDispose, watch, type ComputedRef, type Ref } from 'vue'
import {
  queryTextOf,
  type HistoryRequest,
  type LiveRequest,
  type PortfolioRequest,
  type TickersRequest,
} from '#shared/catalog/portfolioRequest.ts'
import type { LiveAnswer, PortfolioFreshness } from '#shared/contract/areas/portfolio.ts'
import type { AppError } from '#shared/contract/errors.ts'
import { cellOf, columnOf, type Frame } from '#shared/contract/frame.ts'
import { dailyMatrixSteps, type ParsedMatrix } from '#shared/portfolio/dailySeries.ts'
import { freshUntil } from '#shared/portfolio/freshness.ts'
import { useConnections } from '../../stores/connections.ts'
import { useHost } from '../../stores/host.ts'
import { createResource, type Outcome, outcomeOf } from '../../stores/resource.ts'
import { useSettings } from '../../stores/settings.ts'
import { inPieces } from '../../widgets/pacedWork.ts'

/** State of a request to the portfolio service, independent of the answer's type. */
export interface AnswerState {
  /** Request of the answer on screen. */
  request: ComputedRef<PortfolioRequest | null>
  freshness: ComputedRef<PortfolioFreshness | null>
  /** Error of the last request. */
  error: Ref<AppError | null>
  isLoading: Ref<boolean>
  /** True while the answer on screen belongs to an earlier request. */
  isEarlier: ComputedRef<boolean>
  /** True for data from a file on this machine, which cannot be refreshed. */
  isLocal?: ComputedRef<boolean>
  /** Asks the service even if the cached answer is fresh. */
  refresh(): void
}

/** An answer with its noun for messages, such as `returns`. */
export interface NamedAnswer {
  what: string
  answer: AnswerState
}

interface Answer<Query, Value> extends AnswerState {
  /** Query of `value`; while the next query loads, this is still the previous one. */
  query: ComputedRef<Query | null>
  value: ComputedRef<Value | null>
}

export interface HistoryQuery {
  request: HistoryRequest
  /** UTC days, both inclusive; absent means open. */
  start?: string
  end?: string
}

type History = { rows: Frame; freshness: PortfolioFreshness }

/** Loads daily values: a column `time`, then a column of numbers per ticker, or a single one for a series. */
export function useHistory(query: () => HistoryQuery | null): Answer<HistoryQuery, History> {
  const host = useHost()
  return useAnswer(
    query,
    ({ request }) => request,
    (wanted, refresh, signal) => host.call('portfolio.history', { ...wanted, refresh }, { signal }),
  )
}

/** Loads daily values as a matrix, built in pieces because hundreds of tickers over years would block the window. */
export function useMatrix(query: () => HistoryQuery | null): Answer<HistoryQuery, ParsedMatrix & FetchedAnswer> {
  const host = useHost()
  return useAnswer(
    query,
    ({ request }) => request,
    async (wanted, refresh, signal) => {
      const { rows, freshness } = await host.call('portfolio.history', { ...wanted, refresh }, { signal })
      return { freshness, ...(await inPieces(dailyMatrixSteps(rows), signal)) }
    },
  )
}

/** Loads the live answer of the service. */
export function useLive(query: () => LiveRequest | null): Answer<LiveRequest, LiveAnswer> {
  const host = useHost()
  return useAnswer(
    query,
    (request) => request,
    (request, refresh, signal) => host.call('portfolio.live', { request, refresh }, { signal }),
  )
}

export function useTickers(
  query: () => TickersRequest | null,
): Answer<TickersRequest, { tickers: string[]; freshness: PortfolioFreshness }> {
  const host = useHost()
  return useAnswer(
    query,
    (request) => request,
    (request, refresh, signal) => host.call('portfolio.tickers', { request, refresh }, { signal }),
  )
}

interface FetchedAnswer {
  freshness: PortfolioFreshness
  createdAt?: number | null
}

/**
 * Loads an answer when the query (null for none) or the connection changes, and again when there may be a newer one.
 */
function useAnswer<Query, Value extends FetchedAnswer>(
  query: () => Query | null,
  requestOf: (query: Query) => PortfolioRequest,
  fetchAnswer: (query: Query, refresh: boolean, signal: AbortSignal) => Promise<Value>,
): Answer<Query, Value> {
  const connections = useConnections()
  const key = computed(() => JSON.stringify([connections.active?.id, query()]))

  const found = createResource(async (wanted: { query: Query; key: string; refresh: boolean }, signal) => ({
    ...wanted,
    value: await fetchAnswer(wanted.query, wanted.refresh, signal),
  }))
  function load(refresh: boolean): void {
    const wanted = query()
    if (wanted === null) found.forget()
    else void found.load({ query: wanted, key: key.value, refresh })
  }
  watch(key, () => load(false), { immediate: true })
  useReload({
    hasFailed: () => found.error.value !== null || Boolean(found.value.value?.value.freshness.trouble),
    isLoading: found.isLoading,
    request() {
      const wanted = query()
      return wanted && requestOf(wanted)
    },
    freshUntilMs() {
      const { value: loaded } = found
      if (!loaded.value || found.isLoading.value) return null
      const { freshness, createdAt } = loaded.value.value
      return freshUntil(requestOf(loaded.value.query), freshness.fetchedAt, createdAt)
    },
    reload: () => load(false),
  })

  const isEarlier = computed(() => found.value.value !== null && found.value.value.key !== key.value)
  const shown = computed(() => (isEarlier.value && !found.isLoading.value ? null : found.value.value))
  return {
    query: computed(() => shown.value?.query ?? null),
    request: computed(() => shown.value && requestOf(shown.value.query)),
    value: computed(() => shown.value?.value ?? null),
    freshness: computed(() => shown.value?.value.freshness ?? null),
    isEarlier,
    error: found.error,
    isLoading: found.isLoading,
    refresh: () => load(true),
  }
}

interface ReloadDeps {
  hasFailed(): boolean
  isLoading: Ref<boolean>
  request(): PortfolioRequest | null
  /** Returns the time until which the service has nothing newer; null without an answer and while one is loading. */
  freshUntilMs(): number | null
  reload(): void
}

/**
 * Reloads an answer after going online or offline if it failed, after reconnecting to the core, when another window or
 * program fetched the same request, and when the service may have newer data.
 */
function useReload({ hasFailed, isLoading, request, freshUntilMs, reload }: ReloadDeps): void {
  const host = useHost()
  const connections = useConnections()
  const settings = useSettings()
  watch(
    () => settings.current.offline,
    () => hasFailed() && reload(),
  )
  host.onReturn(reload)
  onScopeDispose(
    host.on('portfolio.changed', ({ connectionId, endpoint, query }) => {
      const wanted = request()
      // A change during loading is the answer to this window's own request.
      if (isLoading.value || !wanted || connectionId !== connections.active?.id) return
      if (endpoint === wanted.endpoint && query === queryTextOf(wanted)) reload()
    }),
  )
  useRenewal(freshUntilMs, reload)
}

/** Time to wait after an answer has stopped being fresh, so that the service can publish the next one. */
const PUBLISH_MS = 10_000
/** Pause before the next attempt if the service had nothing new. */
const RETRY_MS = 5 * 60_000

/**
 * Calls `renew` shortly after an answer stops being fresh, or after a longer pause if it was no longer fresh when it
 * arrived.
 */
function useRenewal(untilMs: () => number | null, renew: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(
    untilMs,
    (timeMs) => {
      clearTimeout(timer)
      if (timeMs === null) return
      const waitMs = timeMs - Date.now()
      timer = setTimeout(renew, waitMs > 0 ? waitMs + PUBLISH_MS : RETRY_MS)
    },
    { immediate: true },
  )
  onScopeDispose(() => clearTimeout(timer))
}

interface HistoryOutcome extends Outcome<History> {
  query: HistoryQuery
}

/** Loads several histories at once, each with its own outcome, in the order of the queries. */
export function useHistories(queries: () => readonly HistoryQuery[]) {
  const host = useHost()
  const connections = useConnections()
  const found = createResource((wanted: readonly HistoryQuery[], signal) =>
    Promise.all(
      wanted.map(async (query): Promise<HistoryOutcome> => {
        return { query, ...(await outcomeOf(host.call('portfolio.history', query, { signal }))) }
      }),
    ),
  )
  const keys = computed(() => queries().map((query) => JSON.stringify(query)))
  const allKeys = computed(() => [connections.active?.id, ...keys.value].join('\n'))
  watch(allKeys, () => void found.load(queries()), { immediate: true })
  const list = computed(() =>
    (found.value.value ?? []).filter(({ query }) => keys.value.includes(JSON.stringify(query))),
  )
  return { list, isLoading: found.isLoading, retry: () => void found.load(queries()) }
}

/**
 * Returns the value of each ticker in a live answer, in the order of the answer; null means no value. If a ticker is
 * repeated, its last row counts.
 */
export function tickerValues(rows: Frame): Map<string, number | null> {
  const tickers = columnOf(rows, 'ticker')
  const values = columnOf(rows, 'value')
  const found = new Map<string, number | null>()
  if (!tickers || !values) return found
  for (let row = 0; row < rows.rows; row += 1) {
    const value = cellOf(values, row)
    found.set(String(cellOf(tickers, row)), typeof value === 'number' && Number.isFinite(value) ? value : null)
  }
  return found
}

const MOST_SNAPSHOTS = 1000

/** Lists the stored live answers, newest first, and loads the one of `selectedAt` (null for none). */
export function useSnapshots(
  request: () => LiveRequest | null,
  /** Returns the latest answer; when it is another, the list is reloaded. */
  latest: () => LiveAnswer | null,
  selectedAt: () => number | null,
) {
  const host = useHost()
  const connections = useConnections()
  const list = createResource((wanted: LiveRequest, signal) =>
    host.call('portfolio.snapshots', { request: wanted, limit: MOST_SNAPSHOTS }, { signal }),
  )
  const snapshot = createResource((wanted: { request: LiveRequest; createdAt: number }, signal) =>
    host.call('portfolio.snapshot', wanted, { signal }),
  )
  const key = computed(() => JSON.stringify([connections.active?.id, request()]))
  watch(
    [key, () => latest()?.createdAt ?? latest()?.freshness.fetchedAt],
    () => {
      const wanted = request()
      if (wanted) void list.load(wanted)
      else list.forget()
    },
    { immediate: true },
  )
  watch(
    [key, selectedAt],
    () => {
      const [wanted, createdAt] = [request(), selectedAt()]
      if (wanted && createdAt !== null) void snapshot.load({ request: wanted, createdAt })
      else snapshot.forget()
    },
    { immediate: true },
  )
  return { list: computed(() => list.value.value ?? []), selected: snapshot.value, error: snapshot.error }
}
