import { portfolioService } from '#core/clients/portfolioService.ts'
import type { HttpClient } from '#core/clients/http.ts'
import { askService } from '#core/clients/service.ts'
import type { Connections } from '#core/connections/connections.ts'
import type { Clock } from '#core/ports.ts'
import type { PortfolioStore } from '#core/store/portfolioStore.ts'
import { createPortfolio, type Portfolio } from './portfolio.ts'

/** A connection's portfolio answers, by its id; those of the active one where it is empty. */
export type OpenPortfolio = (connectionId: string) => Promise<Portfolio>

export function createPortfolios(
  http: HttpClient,
  connections: Connections,
  store: PortfolioStore,
  clock: Clock,
): OpenPortfolio {
  return async (wantedId) => {
    const { id: connectionId, portfolio } = await connections.reach(wantedId)
    return createPortfolio(store, clock, {
      connectionId,
      url: portfolio.baseUrl,
      service: portfolio.baseUrl === '' ? null : portfolioService(askService(http, portfolio)),
    })
  }
}
