import { evaluateField } from '../../panelFormula.ts'
import { SignalBlocks } from '../../signalCells.ts'
import { delayWarnings, describePanel, type KindRun, type OnStage, type StudyInput } from '../../studyInput.ts'
import type { StudyPanel } from '../../studyPanel.ts'
import { type StudyWarning, warning } from '../../studyWarnings.ts'
import type { SignalStudy } from './fields.ts'
import {
  compareClocks,
  EqualityGuard,
  type HorizonCoefficients,
  type HorizonResult,
  HorizonStudy,
  isSuspicious,
  LookAheadGuard,
} from './signalStudy.ts'

/** Counts the bars from a signal to the last price that it is compared with. */
const reachOf = ({ delayBars, horizons }: SignalStudy): number => delayBars + Math.max(...horizons)

export function run({ study, panel, input, onStage }: KindRun<SignalStudy>) {
  const { against, breakdowns } = input
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
function signalBlocks(input: StudyInput<SignalStudy>, panel: StudyPanel, onStage: OnStage): SignalBlocks {
  const { study, rules, checkpoint } = input
  onStage('formulas', 0)
  const signal = evaluateField(panel, { field: 'signal', formula: study.signal }, rules, checkpoint)
  onStage('formulas', 0.5)
  const price = evaluateField(panel, { field: 'price', formula: study.price, isPrice: true }, rules, checkpoint)
  return new SignalBlocks(panel, { signal, price }, checkpoint)
}

function comparisonOf(
  input: StudyInput<SignalStudy>,
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
