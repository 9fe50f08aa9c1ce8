import { type Checkpoint, neverCancelled } from './checkpoint.ts'
import { studyEvents } from './eventStudy.ts'
import { studyLeadLag } from './leadLagStudy.ts'
import { type Panel, timeAt } from './panel.ts'
import type { StudyBreakdowns } from './breakdowns.ts'
import { type ColumnRules, evaluateOnPanel, type Matrix } from './panelFormula.ts'
import { studySeasonality } from './seasonalityStudy.ts'
import { coverageOf, type SignalCells, signalCellsOf } from './signalCells.ts'
import {
  compareClocks,
  equalsReturn,
  hasPeekingCoefficient,
  type HorizonCoefficients,
  studyHorizon,
} from './signalStudy.ts'
import type { SignalStudy, Study } from './studyDocument.ts'
import { sortWarnings, warning, type StudyWarning } from './studyWarnings.ts'

/** Rows of a study, and what their source has to say about them. */
export interface StudyInput {
  study: Study
  panel: Panel
  /** The same study on the rows of the other clock; null without one. */
  against: Panel | null
  /** Warnings of the source of the rows. */
  warnings?: readonly StudyWarning[]
  /** Cells without a row because their file is not here. */
  notDownloaded?: { files: number; cells: number }
  rules?: ColumnRules
  /** Rules of the columns of the other clock. */
  againstRules?: ColumnRules
  /** Breakdowns of the rank IC that the source asks for. */
  breakdowns?: StudyBreakdowns
  /** Throws once the study is cancelled; it is called often enough to end a study of any length at once. */
  checkpoint?: Checkpoint
}

/** Stages of a run; a study goes through those of its kind. */
export const studyStages = [
  'rows',
  'formulas',
  'horizons',
  'guards',
  'comparison',
  'events',
  'pairs',
  'calendar',
] as const
export type StudyStage = (typeof studyStages)[number]
/** Reports a stage and the share of it that is done. */
export type OnStage = (stage: StudyStage, share: number) => void

export type StudyResult = ReturnType<typeof runStudy>

/** Computes the result of a study; throws a `StudyError` where a formula or a field does not fit the panel. */
export function runStudy(input: StudyInput, onStage: OnStage = () => undefined) {
  const { study, panel, against } = input
  const { result, warnings } = resultOf(input, onStage)
  const all = [...(input.warnings ?? []), ...warnings]
  if (panel.duplicates > 0 || (against && against.duplicates > 0)) all.push(warning('duplicate-rows'))
  return {
    version: 1 as const,
    kind: study.kind,
    study,
    data: { ...describePanel(panel), ...(input.notDownloaded && { notDownloaded: input.notDownloaded }) },
    warnings: sortWarnings(all),
    ...result,
  }
}

function resultOf(input: StudyInput, onStage: OnStage) {
  const { study, panel, rules, checkpoint = neverCancelled } = input
  const formula = (field: string, text: string): Matrix => {
    onStage('formulas', 0)
    return evaluateOnPanel(panel, field, text, rules, checkpoint)
  }
  switch (study.kind) {
    case 'signal':
      return runSignal({ ...input, study }, onStage)
    case 'events': {
      const when = formula('when', study.when)
      const price = formula('price', study.price)
      onStage('events', 0)
      return {
        result: studyEvents(panel, study, { when, price }, checkpoint),
        warnings: delayWarnings(study.delayBars),
      }
    }
    case 'leadlag': {
      const values = formula('value', study.value)
      const onPair = (share: number) => onStage('pairs', share)
      return { result: studyLeadLag(panel, study, values, onPair, checkpoint), warnings: [] }
    }
    case 'seasonality': {
      const values = formula('value', study.value)
      onStage('calendar', 0)
      return { result: studySeasonality(panel, study, values, checkpoint), warnings: [] }
    }
  }
}

function runSignal(input: StudyInput & { study: SignalStudy }, onStage: OnStage) {
  const { study, panel, against } = input
  const { cells, coverage } = signalCells(input, panel, onStage)
  const horizons = study.horizons.map((horizon, at) => {
    onStage('horizons', at / study.horizons.length)
    return studyHorizon(panel, study, cells, horizon, input.breakdowns)
  })
  const coefficients = horizons.map((one) => one.coefficients)
  onStage('guards', 0)
  const warnings = delayWarnings(study.delayBars)
  if (hasPeekingCoefficient(study, cells, coefficients[0])) warnings.push(warning('peek-ic'))
  if (equalsReturn(study, cells)) warnings.push(warning('peek-equal'))
  const comparison = against && comparisonOf(input, coefficients, against, onStage)
  return { result: { coverage, horizons: horizons.map(({ result }) => result), comparison }, warnings }
}

function signalCells(input: StudyInput & { study: SignalStudy }, panel: Panel, onStage: OnStage) {
  const { study, rules, checkpoint } = input
  onStage('formulas', 0)
  const signal = evaluateOnPanel(panel, 'signal', study.signal, rules, checkpoint)
  onStage('formulas', 0.5)
  const price = evaluateOnPanel(panel, 'price', study.price, rules, checkpoint)
  const cells: SignalCells = signalCellsOf(panel, signal, price, checkpoint)
  return { cells, coverage: coverageOf(panel, signal) }
}

function comparisonOf(
  input: StudyInput & { study: SignalStudy },
  coefficients: readonly HorizonCoefficients[],
  against: Panel,
  onStage: OnStage,
) {
  const { study, panel } = input
  const { againstRules: rules } = input
  const { cells } = signalCells({ ...input, ...(rules && { rules }) }, against, onStage)
  const other = study.horizons.map((horizon, at) => {
    onStage('comparison', at / study.horizons.length)
    return studyHorizon(against, study, cells, horizon).coefficients
  })
  return {
    data: describePanel(against),
    horizons: compareClocks({ panel, coefficients }, { panel: against, coefficients: other }),
  }
}

const delayWarnings = (delayBars: number): StudyWarning[] => (delayBars === 0 ? [warning('no-delay')] : [])

/** Describes the rows of a panel as the `data` of a result. */
export function describePanel(panel: Panel) {
  const { rows, duplicates, hasRow, symbols, times } = panel
  return {
    rows,
    duplicates,
    missingRows: hasRow.length - countOnes(hasRow),
    symbols: symbols.length,
    times,
    firstTime: timeAt(panel, 0),
    lastTime: timeAt(panel, times - 1),
  }
}

function countOnes(flags: Uint8Array): number {
  let count = 0
  for (let at = 0; at < flags.length; at++) count += flags[at]
  return count
}
