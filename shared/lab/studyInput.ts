import type { FundingRow } from '#shared/funding/fundingRows.ts'
import type { BreakdownInput } from './breakdowns.ts'
import type { ClockRows } from './clockRows.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { Study } from './kinds.ts'
import { type StudyGrid, timeAt } from './panel.ts'
import type { ColumnRules, FieldFormula } from './panelFormula.ts'
import type { ScreenPart } from './kinds/screen/screenPart.ts'
import type { StudyMatrix, StudyPanel } from './studyPanel.ts'
import { type StudyWarning, warning } from './studyWarnings.ts'

/** Makes a list of a result from its numbers, none of which is missing. */
export type NumberList = (numbers: Float64Array) => number[]

/** Rows of a study, with information from their source. */
export interface StudyInput<Kind extends Study = Study> {
  study: Kind
  panel: StudyPanel
  /** Panel of the same study whose times are by the clock to compare with; null if the study compares no clocks. */
  against: StudyPanel | null
  /** Warnings from the source of the rows. */
  warnings?: readonly StudyWarning[]
  /** Numbers of files that are not cached, and of cells that have no row because of that. */
  notDownloaded?: { files: number; cells: number }
  rules?: ColumnRules
  /** Column rules of the panel `against`. */
  againstRules?: ColumnRules
  /** Columns by both clocks, of a study that compares them; its panel has no cells. */
  clocks?: ClockRows
  /** Funding periods of the symbols; absent if the rows are those of a panel. */
  funding?: readonly FundingRow[]
  /** Breakdowns of the rank IC that the study requests. */
  breakdowns?: BreakdownInput
  /** Called with each finished horizon of a study, to shrink it before the next one. */
  onHorizon?: (horizon: object) => void
  /** Makes the long lists of a result; plain ones if absent. */
  numberList?: NumberList
  /** Columns to try if the study names none, by their names; absent if the panel's columns are to be tried. */
  columns?: readonly string[]
  /** Scores of the columns of a screen, in their order, if they are computed beforehand. */
  screenParts?: readonly ScreenPart[]
  /** Throws once the study is cancelled; called often enough to stop any study promptly. */
  checkpoint?: Checkpoint
}

/** Stages of a run. Each kind of study goes through some of them; only writing a panel goes through `writing`. */
export const studyStages = [
  'rows',
  'formulas',
  'horizons',
  'guards',
  'comparison',
  'events',
  'pairs',
  'calendar',
  'columns',
  'blend',
  'writing',
] as const
export type StudyStage = (typeof studyStages)[number]
/** Reports a stage and the completed fraction of it. */
export type OnStage = (stage: StudyStage, share: number) => void

/** What the computation of a kind is given. */
export interface KindRun<Kind extends Study> {
  study: Kind
  panel: StudyPanel
  input: StudyInput<Kind>
  checkpoint: Checkpoint
  onStage: OnStage
  /** Evaluates a formula of the study on its panel. */
  evaluate(formula: FieldFormula): StudyMatrix
}

export const delayWarnings = (delayBars: number): StudyWarning[] => (delayBars === 0 ? [warning('no-delay')] : [])

/** Describes a panel as the `data` section of a result. */
export function describePanel(panel: StudyGrid & Pick<StudyPanel, 'rows' | 'duplicates'>) {
  const { rows, duplicates, symbols, timeCount } = panel
  return {
    rows,
    duplicates,
    // Every row that no later one replaced has its own cell.
    missingRows: timeCount * symbols.length - (rows - duplicates),
    symbols: symbols.length,
    times: timeCount,
    firstTime: timeAt(panel, 0),
    lastTime: timeAt(panel, timeCount - 1),
  }
}
