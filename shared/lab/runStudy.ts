import { type Checkpoint, noCheckpoint } from './checkpoint.ts'
import { noEventsWarnings, runEventStudy } from './eventStudy.ts'
import { runLeadLagStudy, unpairedWarnings } from './leadLagStudy.ts'
import { type StudyGrid, timeAt } from './panel.ts'
import type { FundingRow } from '#shared/funding/fundingRows.ts'
import { fundingWarnings } from './fundingWarnings.ts'
import type { BreakdownInput } from './breakdowns.ts'
import { type ColumnRules, evaluateField, type FieldFormula } from './panelFormula.ts'
import { runSeasonalityStudy } from './seasonalityStudy.ts'
import { SignalBlocks } from './signalCells.ts'
import {
  compareClocks,
  EqualityGuard,
  type HorizonCoefficients,
  type HorizonResult,
  HorizonStudy,
  isSuspicious,
  LookAheadGuard,
} from './signalStudy.ts'
import { type SignalStudy, type Study } from './studyDocument.ts'
import type { StudyMatrix, StudyPanel } from './studyPanel.ts'
import { sortWarnings, warning, type StudyWarning } from './studyWarnings.ts'

/** Rows of a study, with information from their source. */
export interface StudyInput {
  study: Study
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
  /** Funding periods of the symbols; absent if the rows are those of a panel. */
  funding?: readonly FundingRow[]
  /** Breakdowns of the rank IC that the study requests. */
  breakdowns?: BreakdownInput
  /** Called with each finished horizon of a signal study, to shrink it before the next one. */
  onHorizon?: (horizon: HorizonResult) => void
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
  'writing',
] as const
export type StudyStage = (typeof studyStages)[number]
/** Reports a stage and the completed fraction of it. */
export type OnStage = (stage: StudyStage, share: number) => void

export type StudyResult = ReturnType<typeof runStudy>

/** Runs a study; throws a `StudyError` if a formula or field does not fit the panel. */
export function runStudy(input: StudyInput, onStage: OnStage = () => undefined) {
  const { study, panel, against } = input
  const { result, warnings } = resultOf(input, onStage)
  const allWarnings = [...(input.warnings ?? []), ...warnings]
  if (panel.duplicates > 0 || (against && against.duplicates > 0)) allWarnings.push(warning('duplicate-rows'))
  return {
    version: 1 as const,
    kind: study.kind,
    study,
    data: {
      ...describePanel(panel),
      ...(input.notDownloaded && { notDownloaded: input.notDownloaded }),
      ...(input.funding && { funding: input.funding }),
    },
    warnings: sortWarnings(allWarnings),
    ...result,
  }
}

function resultOf(input: StudyInput, onStage: OnStage) {
  const { study, panel, rules, checkpoint = noCheckpoint } = input
  const evaluate = (one: FieldFormula): StudyMatrix => {
    onStage('formulas', 0)
    return evaluateField(panel, one, rules, checkpoint)
  }
  switch (study.kind) {
    case 'signal':
      return runSignal({ ...input, study }, onStage)
    case 'events': {
      const when = evaluate({ field: 'when', formula: study.when })
      const price = evaluate({ field: 'price', formula: study.price, isPrice: true })
      const onShare = (share: number) => onStage('events', share)
      onShare(0)
      const result = runEventStudy(panel, study, { when, price }, checkpoint, onShare)
      return { result, warnings: [...delayWarnings(study.delayBars), ...noEventsWarnings(result.attrition)] }
    }
    case 'leadlag': {
      const values = evaluate({ field: 'value', formula: study.value })
      const onShare = (share: number) => onStage('pairs', share)
      const result = runLeadLagStudy(panel, study, values, onShare, checkpoint)
      return { result, warnings: unpairedWarnings(panel, result.pairs) }
    }
    case 'seasonality': {
      const values = evaluate({ field: 'value', formula: study.value })
      onStage('calendar', 0)
      const table = study.by === 'minutesToFunding' ? input.funding : undefined
      return {
        result: runSeasonalityStudy(panel, study, values, { checkpoint, table }),
        warnings: fundingWarnings(table ?? []),
      }
    }
  }
}

/** Counts the bars from a signal to the last price that it is compared with. */
const reachOf = ({ delayBars, horizons }: SignalStudy): number => delayBars + Math.max(...horizons)

function runSignal(input: StudyInput & { study: SignalStudy }, onStage: OnStage) {
  const { study, panel, against, breakdowns } = input
  const blocks = signalBlocks(input, panel, onStage)
  const horizonStudies = study.horizons.map((horizon) => new HorizonStudy(panel, study, horizon, breakdowns))
  const lookAheadGuard = new LookAheadGuard(panel, study)
  const equalityGuard = new EqualityGuard(study)
  for (const block of blocks.read(reachOf(study))) {
    horizonStudies.forEach((one, at) => {
      onStage('horizons', (block.from + ((block.to - block.from) * at) / horizonStudies.length) / panel.timeCount)
      one.add(block)
    })
    if (study.delayBars > 0) lookAheadGuard.add(block)
    equalityGuard.add(block)
  }
  blocks.close()
  onStage('guards', 0)
  const warnings = delayWarnings(study.delayBars)
  const isPeeking = study.delayBars === 0 ? isSuspicious(horizonStudies[0].coefficients) : lookAheadGuard.isPeeking()
  if (isPeeking) warnings.push(warning('peek-ic'))
  if (equalityGuard.isEqual()) warnings.push(warning('peek-equal'))
  warnings.push(...unansweredWarnings(horizonStudies))
  const coefficients = against ? horizonStudies.map((one) => one.coefficients) : []
  const results: HorizonResult[] = []
  // The memory of a horizon is freed before the next one allocates its lists.
  for (let one = horizonStudies.shift(); one; one = horizonStudies.shift()) {
    const result = one.result(blocks.lost)
    input.onHorizon?.(result)
    results.push(result)
  }
  const comparison = against && comparisonOf(input, coefficients, against, onStage)
  return { result: { coverage: blocks.coverage(), horizons: results, comparison }, warnings }
}

/** Evaluates the formulas of a signal study, whose cells are then read block by block. */
function signalBlocks(input: StudyInput & { study: SignalStudy }, panel: StudyPanel, onStage: OnStage): SignalBlocks {
  const { study, rules, checkpoint } = input
  onStage('formulas', 0)
  const signal = evaluateField(panel, { field: 'signal', formula: study.signal }, rules, checkpoint)
  onStage('formulas', 0.5)
  const price = evaluateField(panel, { field: 'price', formula: study.price, isPrice: true }, rules, checkpoint)
  return new SignalBlocks(panel, { signal, price }, checkpoint)
}

function comparisonOf(
  input: StudyInput & { study: SignalStudy },
  coefficients: readonly HorizonCoefficients[],
  against: StudyPanel,
  onStage: OnStage,
) {
  const { study, panel } = input
  const { againstRules: rules } = input
  const blocks = signalBlocks({ ...input, ...(rules && { rules }) }, against, onStage)
  const againstStudies = study.horizons.map((horizon) => new HorizonStudy(against, study, horizon))
  for (const block of blocks.read(reachOf(study))) {
    onStage('comparison', block.from / against.timeCount)
    for (const one of againstStudies) one.add(block)
  }
  blocks.close()
  const againstCoefficients = againstStudies.map((one) => one.coefficients)
  return {
    data: describePanel(against),
    horizons: compareClocks({ panel, coefficients }, { panel: against, coefficients: againstCoefficients }),
  }
}

/** Warns if horizons have cells and no answer. */
function unansweredWarnings(horizons: readonly HorizonStudy[]): StudyWarning[] {
  const tooFew = horizons.flatMap((one) => one.tooFewSymbols() ?? []).slice(0, 1)
  const isConstant = horizons.some((one) => one.isConstant()) && !horizons.some((one) => one.hasCoefficient())
  const constantText = 'At each time the signal, or the return, is equal across the symbols.'
  return [...tooFew, ...(isConstant ? [warning('no-variation', constantText)] : [])]
}

const delayWarnings = (delayBars: number): StudyWarning[] => (delayBars === 0 ? [warning('no-delay')] : [])

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
