import { computed, watch, type ComputedRef, type Ref } from 'vue'
import type { HistoryRequest, LiveRequest, PortfolioRequest, TickersRequest } from '#shared/catalog/portfolioRequest.ts'
import type { LiveAnswer, PortfolioFreshness } from '#shared/contract/areas/portfolio.ts'
import type { AppError } from '#shared/contract/errors.ts'
import type { Frame } from '#shared/contract/frame.ts'
import { dailyMatrixSteps, type ReadMatrix } from '#shared/portfolio/dailyMatrix.ts'
import { freshUntil } from '#shared/portfolio/freshness.ts'
import { useConnections } from '../../stores/connections.ts'
import { useHost } from '../../stores/host.ts'
import { createResource } from '../../stores/resource.ts'
import { useSettings } from '../../stores/settings.ts'
import { inPieces } from './inPieces.ts'
import { useNews, useRenewal } from './useNews.ts'

/** Request of a card with its provenance and a way to repeat it. */
export interface Asked {
  /** Request of the answer. */
  request: ComputedRef<PortfolioRequest | null>
  freshness: ComputedRef<PortfolioFreshness | null>
  /** Error of the last request. */
  error: Ref<AppError | null>
  isLoading: Ref<boolean>
  /** Asks the service, however fresh the cache is. */
  refresh(): void
}

export interface Answer<Wish, Value> extends Asked {
  /** Query that `value` answers; while another one is on its way, still the previous one. */
  wish: ComputedRef<Wish | null>
  value: ComputedRef<Value | null>
  /** The value answers an earlier wish; it is shown only until the answer is here. */
  isEarlier: ComputedRef<boolean>
}

export interface HistoryWish {
  request: HistoryRequest
  /** UTC days, both included; without them everything there is. */
  start?: string
  end?: string
}

/** Loads values by day: a column `time`, then one of numbers for each ticker. */
export function useHistory(
  wish: () => HistoryWish | null,
): Answer<HistoryWish, { rows: Frame; freshness: PortfolioFreshness }> {
  const host = useHost()
  return useAnswer(
    wish,
    ({ request }) => request,
    (asked, refresh, signal) => host.call('portfolio.history', { ...asked, refresh }, { signal }),
  )
}

/** The same as a matrix, made in pieces: of hundreds of tickers over years it takes longer than a window may stand still. */
export function useMatrix(wish: () => HistoryWish | null): Answer<HistoryWish, ReadMatrix & Told> {
  const host = useHost()
  return useAnswer(
    wish,
    ({ request }) => request,
    async (asked, refresh, signal) => {
      const { rows, freshness } = await host.call('portfolio.history', { ...asked, refresh }, { signal })
      return { freshness, ...(await inPieces(dailyMatrixSteps(rows), signal)) }
    },
  )
}

/** Loads the live answer of the service. */
export function useLive(wish: () => LiveRequest | null): Answer<LiveRequest, LiveAnswer> {
  const host = useHost()
  return useAnswer(
    wish,
    (request) => request,
    (request, refresh, signal) => host.call('portfolio.live', { request, refresh }, { signal }),
  )
}

export function useTickers(
  wish: () => TickersRequest | null,
): Answer<TickersRequest, { tickers: string[]; freshness: PortfolioFreshness }> {
  const host = useHost()
  return useAnswer(
    wish,
    (request) => request,
    (request, refresh, signal) => host.call('portfolio.tickers', { request, refresh }, { signal }),
  )
}

export interface Told {
  freshness: PortfolioFreshness
  createdAt?: number
}

/** Asks whenever the wish (null: none) or the connection is another; and again once there may be more to hear. */
function useAnswer<Wish, Value extends Told>(
  wish: () => Wish | null,
  requestOf: (wish: Wish) => PortfolioRequest,
  ask: (wish: Wish, refresh: boolean, signal: AbortSignal) => Promise<Value>,
): Answer<Wish, Value> {
  const host = useHost()
  const connections = useConnections()
  const settings = useSettings()
  const key = computed(() => JSON.stringify([connections.active?.id, wish()]))

  const found = createResource(async (asked: { wish: Wish; key: string; refresh: boolean }, signal) => ({
    ...asked,
    value: await ask(asked.wish, asked.refresh, signal),
  }))
  function load(refresh: boolean): void {
    const now = wish()
    if (now === null) found.forget()
    else void found.load({ wish: now, key: key.value, refresh })
  }
  watch(key, () => load(false), { immediate: true })
  const wentBadly = () => found.error.value !== null || Boolean(found.value.value?.value.freshness.trouble)
  watch(
    () => settings.current.offline,
    () => wentBadly() && load(false),
  )
  host.onReturn(() => load(false))
  useNews(
    () => {
      const now = wish()
      return now && requestOf(now)
    },
    found.isLoading,
    () => load(false),
  )
  useRenewal(
    () => {
      const { value: shown } = found
      if (!shown.value || found.isLoading.value) return null
      const { freshness, createdAt } = shown.value.value
      return freshUntil(requestOf(shown.value.wish), freshness.fetchedAt, createdAt)
    },
    () => load(false),
  )

  const isEarlier = computed(() => found.value.value !== null && found.value.value.key !== key.value)
  const shown = computed(() => (isEarlier.value && !found.isLoading.value ? null : found.value.value))
  return {
    wish: computed(() => shown.value?.wish ?? null),
    request: computed(() => shown.value && requestOf(shown.value.wish)),
    value: computed(() => shown.value?.value ?? null),
    freshness: computed(() => shown.value?.value.freshness ?? null),
    isEarlier,
    error: found.error,
    isLoading: found.isLoading,
    refresh: () => load(true),
  }
}
