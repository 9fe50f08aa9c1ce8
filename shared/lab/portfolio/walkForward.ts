import { numbersOf } from '#shared/formula/evaluateFormula.ts'
import { formulaFunction } from '#shared/formula/functionTable.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import { childrenOf, type FormulaNode } from '#shared/formula/tree.ts'
import { fundingTimes } from '#shared/funding/fundingPeriods.ts'
import { type FundingRow, periodsOfRows } from '#shared/funding/fundingRows.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { type Panel, timeAt } from '../panel.ts'
import { withFieldName } from '../panelFormula.ts'
import { type PortfolioStudy, durationMs } from '../kinds/portfolio/fields.ts'
import { StudyError } from '../studyError.ts'
import { studyRange } from '../studyRange.ts'
import { combinationsOf, combinationStudy, type Combination } from './parameterGrid.ts'
import { sharpeSample } from './sharpeStatistics.ts'

/** A fold and the combination that won on its training days. Days are counted from the epoch; `endDay` is exclusive. */
export interface Fold {
  firstDay: number
  endDay: number
  trainDays: number
  chosen: Combination | null
  trainSharpe: number | null
}

/** Daily net returns of a combination. */
export interface CombinationReturns {
  parameters: Combination
  firstDay: number | null
  net: Float64Array
}

/**
 * Ranges before and after a fold that are not used for training, because signals and positions reach across its edges.
 * The fields are the length of one such range.
 */
export interface Purge {
  purgeBars: number
  /** Length of the range in days, rounded up. */
  purgeDays: number
}

/**
 * Computes the purge; throws a `StudyError` if the look-back of the signal is unbounded and the document states no
 * look-back.
 * @param funding funding periods of the symbols; absent if they are not known
 */
export function purgeOf(study: PortfolioStudy, funding: readonly FundingRow[] = []): Purge {
  const { intervalMs } = studyRange(study)
  const fundingRows = rowsBetweenFunding(funding, study)
  const signals = new Set(combinationsOf(study.parameters ?? {}).map((one) => combinationStudy(study, one).signal))
  const lookback =
    study.walkForward?.lookbackBars ??
    Math.max(...Array.from(signals, (signal) => signalLookback(signal, intervalMs, fundingRows)))
  const purgeBars = study.delayBars + durationMs(study.rebalance.every) / intervalMs + lookback
  return { purgeBars, purgeDays: Math.ceil((purgeBars * intervalMs) / MS_PER_DAY) }
}

/** Finds the largest number of bars from one funding time of a symbol to the next; null if no period is known. */
function rowsBetweenFunding(funding: readonly FundingRow[], study: PortfolioStudy): number | null {
  const { intervalMs, ...range } = studyRange(study)
  let longestMs = 0
  for (const periods of periodsOfRows(funding).values())
    for (const { timeMs, sinceMs } of fundingTimes(periods, range)) longestMs = Math.max(longestMs, timeMs - sinceMs)
  return longestMs === 0 ? null : Math.ceil(longestMs / intervalMs)
}

/**
 * Counts the earlier bars that a signal reads; throws a `StudyError` if they are unbounded.
 * @param fundingRows largest number of bars from one funding time to the next; null if no funding period is known
 */
export const signalLookback = (signal: string, intervalMs: number, fundingRows: number | null = null): number =>
  withFieldName('signal', signal, () => lookbackOf(parseFormula(signal), intervalMs, fundingRows))

const lookbackOf = (node: FormulaNode, intervalMs: number, fundingRows: number | null): number =>
  ownLookback(node, intervalMs, fundingRows) +
  Math.max(0, ...childrenOf(node).map((child) => lookbackOf(child, intervalMs, fundingRows)))

function ownLookback(node: FormulaNode, intervalMs: number, fundingRows: number | null): number {
  const calledFunction = node.kind === 'call' ? formulaFunction(node.name) : undefined
  if (node.kind !== 'call' || !calledFunction) return 0
  const { looksBack = () => 0, purges = looksBack } = calledFunction
  const bars = typeof purges === 'string' ? purges : purges(numbersOf(calledFunction, node, intervalMs), fundingRows)
  if (bars === 'start' || node.name === 'resample') {
    throw new StudyError('walkForward.lookbackBars', `is needed because the signal calls ${node.name}.`)
  }
  return bars
}

/** Splits the days of a panel into folds; with `past`, the first part is used only for training. */
export function foldDays(firstDay: number, days: number, { folds, train }: NonNullable<PortfolioStudy['walkForward']>) {
  const parts = train === 'past' ? folds + 1 : folds
  const edges = Array.from({ length: parts + 1 }, (_, part) => firstDay + Math.floor((part * days) / parts))
  return edges
    .slice(0, -1)
    .map((start, part) => ({ firstDay: start, endDay: edges[part + 1] }))
    .slice(train === 'past' ? 1 : 0)
    .filter((fold) => fold.endDay > fold.firstDay)
}

/**
 * Chooses the combination of every fold by the Sharpe ratio on its training days.
 * @param recordedTo last day of the rows by which the folds were chosen before: they are chosen again by these rows
 *   alone, and the last one goes on to the end of the panel; null for all rows
 */
export function chooseFolds(
  study: PortfolioStudy,
  { purgeDays, ...rules }: NonNullable<PortfolioStudy['walkForward']> & Purge,
  panel: Panel,
  grid: readonly CombinationReturns[],
  recordedTo: DayNumber | null = null,
): Fold[] {
  const firstPanelDay = Math.floor(timeAt(panel, 0) / MS_PER_DAY)
  const lastPanelDay = Math.floor(timeAt(panel, panel.timeCount - 1) / MS_PER_DAY)
  const lastChosenDay = Math.min(lastPanelDay, recordedTo ?? lastPanelDay)
  const folds = foldDays(firstPanelDay, lastChosenDay - firstPanelDay + 1, rules).map(({ firstDay, endDay }) => {
    const isTraining = (day: number) =>
      day < firstDay - purgeDays || (rules.train === 'around' && day >= endDay + purgeDays + rules.embargoDays)
    let best: Omit<Fold, 'firstDay' | 'endDay'> = { trainDays: 0, chosen: null, trainSharpe: null }
    for (const combination of grid) {
      const start = combination.firstDay ?? 0
      const net = combination.net.filter((_, at) => isTraining(start + at))
      const { sharpe } = sharpeSample(net, study.riskFree)
      if (sharpe === null || (best.trainSharpe !== null && sharpe <= best.trainSharpe)) continue
      best = { trainDays: net.length, chosen: combination.parameters, trainSharpe: sharpe }
    }
    return { firstDay, endDay, ...best }
  })
  return folds.with(-1, { ...folds[folds.length - 1], endDay: lastPanelDay + 1 })
}

/** Daily Sharpe ratio of a combination on the test days, over all folds together and for each fold. */
export interface OutOfSample {
  sharpe: number | null
  byFold: (number | null)[]
}

/** Computes the Sharpe ratios of each combination on the days of the folds. */
export const outOfSample = (
  grid: readonly CombinationReturns[],
  folds: readonly Fold[],
  riskFree: number,
): OutOfSample[] =>
  grid.map(({ firstDay, net }) => {
    const start = firstDay ?? 0
    const sharpeOn = (isTested: (day: number) => boolean) =>
      sharpeSample(
        net.filter((_, at) => isTested(start + at)),
        riskFree,
      ).sharpe
    const isIn = (fold: Fold, day: number) => day >= fold.firstDay && day < fold.endDay
    return {
      sharpe: sharpeOn((day) => folds.some((fold) => isIn(fold, day))),
      byFold: folds.map((fold) => sharpeOn((day) => isIn(fold, day))),
    }
  })

/** Describes folds for a result, with their first and last day. */
export const describeFolds = (folds: readonly Fold[]) =>
  folds.map(({ firstDay, endDay, trainDays, chosen, trainSharpe }) => ({
    fromDay: dayFromNumber(firstDay),
    toDay: dayFromNumber(endDay - 1),
    trainDays,
    chosen,
    trainSharpe,
  }))
