import type { Overfitting } from './overfitting.ts'
import type { DailyWeights } from './portfolioResult.ts'
import type { Parameters } from './parameterGrid.ts'
import type { PortfolioStudy } from './portfolioStudy.ts'
import type { TestDescription } from './runPortfolio.ts'
import type { describeFolds, OutOfSample } from './walkForward.ts'

/** State of the sealed days of a family. */
export interface Holdout {
  fromDay: string
  opened: boolean
  sealedRows: number
}

/** Figures of luck with what the ledger says besides. */
export interface LedgerOverfitting extends Overfitting {
  /** Trials on the same source and interval, of any family, and the deflated Sharpe ratio among them. */
  trialsOnSource: number
  deflatedOnSource: number | null
  /** Time of the last reset in milliseconds; null without one. */
  resetTime: number | null
  /** Entries that the ledger lost; null where none is lost. */
  lostEntries: { entries: number | null; time: number } | null
}

export type PortfolioResult = TestDescription & {
  overfitting: LedgerOverfitting
  walkForward: WalkForwardResult | null
  holdout: Holdout | null
  documentHash: string
  family: string
  /** Weights by day, where they were requested; null where there are too many. */
  dailyWeights?: DailyWeights | null
  /** Results of the combinations of a grid on the days of the folds, for a window. */
  gridOutOfSample?: OutOfSample[]
}

export interface GridRow {
  parameters: Parameters
  sharpe: number | null
  days: number
  deflated: number | null
}

export interface WalkForwardResult {
  purgeBars: number
  purgeDays: number
  folds: ReturnType<typeof describeFolds>
  grid: GridRow[]
}

/** Result of a share of a grid; the whole grid is judged once all shares are in one ledger. */
export interface PartResult {
  version: 1
  kind: 'portfolio'
  study: PortfolioStudy
  part: number
  of: number
  combinations: number
  grid: (Omit<GridRow, 'deflated'> & { sequence: number })[]
  documentHash: string
  family: string
}
