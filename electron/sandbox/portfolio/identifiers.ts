import { factors as allFactors } from './factors.ts'
import { overlays as allOverlays } from './overlays.ts'
import { regimes as allRegimes } from './regimes.ts'
import { portfolioIds } from './templates.ts'

/** Every identifier of the service; no endpoint lists them. */
export const identifiers = {
  portfolios: portfolioIds,
  factors: allFactors.map(({ id }) => id),
  overlays: allOverlays.map(({ id }) => id),
  regimes: allRegimes.map(({ id }) => id),
}
