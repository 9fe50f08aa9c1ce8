import { AppError } from '#shared/contract/errors.ts'
import { createPortfolioService } from '#core/clients/portfolioService.ts'
import type { HttpClient } from '#core/clients/http.ts'
import { createServiceRequest } from '#core/clients/serviceRequest.ts'
import type { Connections } from '#core/connections/connections.ts'
import type { Clock } from '#core/ports.ts'
import type { Store } from '#core/store/store.ts'
import { createPortfolio, type Portfolio } from './portfolio.ts'

/** Opens the portfolio answers of a connection by its id; an empty id means the active connection. */
export type OpenPortfolio = (connectionId: string) => Portfolio

export function createPortfolios(
  http: HttpClient,
  connections: Connections,
  store: Pick<Store, 'connections' | 'portfolio'>,
  clock: Clock,
): OpenPortfolio {
  return (wantedId) => {
    const { id: connectionId } = wantedId === '' ? store.connections.active() : store.connections.find(wantedId)
    return createPortfolio(store.portfolio, clock, {
      connectionId,
      async access() {
        const { portfolio } = await connections.access(connectionId)
        const { baseUrl: url } = portfolio
        if (url === '') throw new AppError('not-found', 'This connection has no portfolio service.')
        const { bareOverlays } = store.portfolio
        const service = createPortfolioService(createServiceRequest(http, portfolio), {
          areBare: () => bareOverlays.has(connectionId, url),
          note: (areBare) => bareOverlays.set(connectionId, url, areBare),
        })
        return { service, url }
      },
    })
  }
}
