import type { Peeks } from './peekGuard.ts'
import type { CellScore, LeftOut } from './symbolScreen.ts'

/** Scores of some of the columns of a screen, which threads compute side by side. */
export interface ScreenPart {
  /** Columns as formulas. */
  columns: string[]
  /** Outcomes by symbol, column, template and horizon, the last one fastest. */
  outcomes: (CellScore | LeftOut)[]
  /** The largest z of all cells at each shift; NaN where none gives any. */
  noise: Float64Array
  peeks: Peeks[]
}
