import type { SeriesStatistics } from '#shared/contract/areas/series.ts'
import { statisticsLevels } from '#shared/statistics/levels.ts'

/** Statistics of a formula that cannot be computed. */
export const noStatistics: SeriesStatistics = {
  problem: null,
  rows: 0,
  missing: 0,
  first: null,
  last: null,
  min: null,
  max: null,
  mean: null,
  deviation: null,
  quantiles: statisticsLevels.map(() => null),
  autocorrelation: null,
  correlation: null,
  beta: null,
}
