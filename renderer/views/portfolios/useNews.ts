import { onScopeDispose, watch, type Ref } from 'vue'
import { queryTextOf, type PortfolioRequest } from '#shared/catalog/portfolioRequest.ts'
import { useConnections } from '../../stores/connections.ts'
import { useHost } from '../../stores/host.ts'

/** Calls when another window or program brought something new of a request. What is on its way here is no news. */
export function useNews(request: () => PortfolioRequest | null, isLoading: Ref<boolean>, heard: () => void): void {
  const host = useHost()
  const connections = useConnections()
  onScopeDispose(
    host.on('portfolio.changed', ({ connectionId, endpoint, query }) => {
      const wanted = request()
      if (isLoading.value || !wanted || connectionId !== connections.active?.id) return
      if (endpoint === wanted.endpoint && query === queryTextOf(wanted)) heard()
    }),
  )
}

/** The service is given some seconds, and time where it had nothing new. */
const SETTLE_MS = 10_000
const AGAIN_MS = 5 * 60_000

/** Calls once the time has come at which a service may say something new (null: it is being asked). */
export function useRenewal(untilMs: () => number | null, renew: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(
    untilMs,
    (timeMs) => {
      clearTimeout(timer)
      if (timeMs === null) return
      const waitMs = timeMs - Date.now()
      timer = setTimeout(renew, waitMs > 0 ? waitMs + SETTLE_MS : AGAIN_MS)
    },
    { immediate: true },
  )
  onScopeDispose(() => clearTimeout(timer))
}
