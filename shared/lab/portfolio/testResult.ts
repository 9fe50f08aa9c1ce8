import type { Overfitting } from './overfitting.ts'
import type { DailyWeights } from './portfolioResult.ts'
import type { Combination } from './parameterGrid.ts'
import type { PortfolioStudy } from '../kinds/portfolio/fields.ts'
import type { TestDescription } from './runPortfolio.ts'
import type { describeFolds, OutOfSample } from './walkForward.ts'

/** State of a family's sealed days (holdout). */
interface Holdout {
  fromDay: string
  opened: boolean
  sealedRows: number
}

/** Overfitting figures with additional facts from the ledger. */
export interface LedgerOverfitting extends Overfitting {
  /** Number of trials of any family on the same source and interval. */
  trialsOnSource: number
  /** Deflated Sharpe ratio among these trials. */
  deflatedOnSource: number | null
  /** Time of the last reset in milliseconds; null if there was none. */
  resetTime: number | null
  /** Entries that the ledger lost; null if none. */
  lostEntries: { entries: number | null; time: number } | null
}

export type PortfolioResult = TestDescription & {
  overfitting: LedgerOverfitting
  walkForward: WalkForwardResult | null
  holdout: Holdout | null
  documentHash: string
  family: string
  /** Weights by day, if requested; null if there are too many. */
  dailyWeights?: DailyWeights | null
  /**
   * Out-of-sample results of a grid's combinations on the days of the folds; set only if weights by day were requested,
   * and never stored.
   */
  gridOutOfSample?: OutOfSample[]
}

interface GridRow {
  parameters: Combination
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

/** Result of part of a grid; the complete grid is judged once all parts are in one ledger. */
export interface GridPartResult {
  version: 1
  kind: 'portfolio'
  study: PortfolioStudy
  /** Number of the part, from 1. */
  part: number
  /** Number of parts of the grid. */
  of: number
  combinations: number
  grid: (Omit<GridRow, 'deflated'> & { sequence: number })[]
  documentHash: string
  family: string
}
