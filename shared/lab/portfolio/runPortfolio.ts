import { type PortfolioStudy, durationMs } from '../kinds/portfolio/fields.ts'
import { StudyError } from '../studyError.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { FundingRow } from '#shared/funding/fundingRows.ts'
import { finiteOrNull } from '#shared/statistics/finiteOrNull.ts'
import { type Panel, timeAt } from '../panel.ts'
import { type ColumnRules, evaluateAtTimes, evaluateOrConstant, type Matrix } from '../panelFormula.ts'
import { fundingWarnings } from '../fundingWarnings.ts'
import { describePanel } from '../studyInput.ts'
import type { StudyWarning } from '../studyWarnings.ts'
import { combinationStudy } from './parameterGrid.ts'
import {
  type DailyReturns,
  dailyReturns,
  describeRun,
  figuresOf,
  isNeverTraded,
  runWarnings,
} from './portfolioResult.ts'
import { portfolioWarning, type PortfolioWarning, sortPortfolioWarnings } from './portfolioWarnings.ts'
import {
  type BarValues,
  type DueFunding,
  decisionKinds,
  type PortfolioRows,
  type PortfolioRun,
  simulatePortfolio,
} from './simulatePortfolio.ts'
import { TargetWeights } from './targetWeights.ts'
import type { Fold } from './walkForward.ts'

/** Rows of a test, with information from their source. */
export interface PortfolioInput {
  study: PortfolioStudy
  panel: Panel
  /** Warnings from the source of the rows. */
  warnings?: readonly (StudyWarning | PortfolioWarning)[]
  /** Numbers of files that are not cached, and of cells that have no row because of that. */
  notDownloaded?: { files: number; cells: number }
  rules?: ColumnRules
  /** Factors by time that scale the targets; null or absent for no scaling. */
  exposure?: Float64Array | null
  /** Funding periods of the symbols, and what is due by them; absent if the rows have their own funding. */
  funding?: { rows: FundingRow[]; due: DueFunding | null }
}

/** Values of a test that all combinations of a grid share. */
export type PreparedRows = Omit<PortfolioRows, 'signal' | 'decisions' | 'decisionPlaces'>

/** Evaluates every formula except the signal; throws a `StudyError` if one does not fit the panel. */
export function prepareRows({ study, panel, rules, exposure = null, funding: periods }: PortfolioInput): PreparedRows {
  const { costs, funding, fundingRate } = study
  const tradingBars = tradeBars(study, panel)
  const valuesAtTrades = (field: string, formula: string): BarValues =>
    evaluateAtTimes(panel, field, formula, tradingBars.bars, rules)
  const matrixOf = (field: string, formula: string, on = panel) =>
    filledMatrix(evaluateOrConstant(on, field, formula, rules), on)
  return {
    timeCount: panel.timeCount,
    symbolCount: panel.symbols.length,
    member: panel.member,
    price: matrixOf('price', study.price),
    funding:
      funding === 'none'
        ? null
        : withFundingAdvice(funding, () =>
            matrixOf('fundingRate', fundingRate, funding === 'zero' ? withMissingColumns(panel) : panel),
          ),
    tradePlaces: tradingBars.places,
    spreadBps:
      typeof costs.spreadBps === 'number' ? costs.spreadBps : valuesAtTrades('costs.spreadBps', costs.spreadBps),
    sigma: 'sigma' in costs.slippage ? valuesAtTrades('costs.slippage.sigma', costs.slippage.sigma) : NaN,
    perNotional:
      'perNotional' in costs.slippage ? valuesAtTrades('costs.slippage.perNotional', costs.slippage.perNotional) : NaN,
    volume: costs.volume === null ? null : valuesAtTrades('costs.volume', costs.volume),
    exposure,
    due: funding === 'none' ? null : (periods?.due ?? null),
    dayEnds: dayEndsOf(panel),
  }
}

/** Extends the error about a missing funding column with advice on running the test without funding. */
function withFundingAdvice<Result>(funding: PortfolioStudy['funding'], work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof StudyError) || funding !== 'required') throw error
    throw StudyError.withMessage(
      error.field,
      `${error.message} To test rows without funding, set funding to "none" (no funding is paid) or "zero" (a missing rate counts as 0).`,
    )
  }
}

/** Selected bars of a panel, and the index of each selected bar by time. */
interface ChosenBars {
  bars: Int32Array
  places: Int32Array
}

/** Lists the bars at whose end trades take place. */
function tradeBars(study: PortfolioStudy, panel: Panel): ChosenBars {
  const decisions = decisionBars(study, panel)
  return chooseBars(
    panel.timeCount,
    (time) => (decisions[time - study.delayBars] ?? decisionKinds.none) !== decisionKinds.none,
  )
}

function chooseBars(timeCount: number, isChosen: (time: number) => boolean): ChosenBars {
  const places = new Int32Array(timeCount)
  const bars: number[] = []
  for (let time = 0; time < timeCount; time++) {
    if (!isChosen(time)) continue
    places[time] = bars.length
    bars.push(time)
  }
  return { bars: Int32Array.from(bars), places }
}

const dayEndsOf = (panel: Panel): Uint8Array =>
  Uint8Array.from({ length: panel.timeCount }, (_, time) =>
    (timeAt(panel, time) + panel.intervalMs) % MS_PER_DAY === 0 ? 1 : 0,
  )

const filledMatrix = (values: Matrix | number, { timeCount, symbols }: Panel): Matrix =>
  typeof values === 'number' ? new Float64Array(timeCount * symbols.length).fill(values) : values

/** Wraps a panel so that a formula may name a column that does not exist; it then has no values. */
function withMissingColumns(panel: Panel): Panel {
  const cells = panel.timeCount * panel.symbols.length
  const missing = { values: new Float64Array(cells), valid: new Uint8Array(cells) }
  const knownNames = new Set(panel.columnNames)
  const columns = new Map(panel.columns)
  const get = (name: string) => columns.get(name) ?? (knownNames.has(name) ? undefined : missing)
  return { ...panel, columns: { ...lookupOf(columns), get } }
}

/** Wraps a map in a plain read-only object. Unlike a map, it can be copied with a different `get`. */
const lookupOf = <Key, Value>(map: ReadonlyMap<Key, Value>): ReadonlyMap<Key, Value> => ({
  size: map.size,
  has: (key) => map.has(key),
  get: (key) => map.get(key),
  keys: () => map.keys(),
  values: () => map.values(),
  entries: () => map.entries(),
  forEach: (visit) => map.forEach(visit),
  [Symbol.iterator]: () => map[Symbol.iterator](),
})

/** Returns the kind of decision at the end of each bar. */
function decisionBars(study: PortfolioStudy, panel: Panel): Uint8Array {
  const everyMs = durationMs(study.rebalance.every)
  const offsetMs = durationMs(study.rebalance.offset)
  return Uint8Array.from({ length: panel.timeCount }, (_, time) =>
    (timeAt(panel, time) + panel.intervalMs - offsetMs) % everyMs === 0 ? decisionKinds.signal : decisionKinds.none,
  )
}

/** A run of a portfolio, and the rows that it used. */
export interface TestedPortfolio {
  rows: PortfolioRows
  run: PortfolioRun
}

/** Runs one test on prepared rows. */
export function testPortfolio(input: PortfolioInput, prepared: PreparedRows, keepUnits = false): TestedPortfolio {
  const { study, panel, rules } = input
  const decisions = decisionBars(study, panel)
  const { bars, places } = chooseBars(panel.timeCount, (time) => decisions[time] !== decisionKinds.none)
  const signal = evaluateAtTimes(panel, 'signal', study.signal, bars, rules)
  return simulate(study, { ...prepared, signal, decisions, decisionPlaces: places }, keepUnits)
}

function simulate(study: PortfolioStudy, rows: PortfolioRows, keepUnits: boolean, capital = study.capital) {
  const { delayBars, band, settleAfterBars, costs } = study
  const rules = { capital, delayBars, band, settleAfterBars, feeBps: costs.feeBps, slippage: costs.slippage }
  const weights = new TargetWeights(study.weights, study.smoothing, rows.symbolCount)
  return { rows, run: simulatePortfolio(rows, rules, weights, keepUnits) }
}

/** Runs the winning combinations of the folds as one portfolio, each within its fold. */
export function testFolds(
  input: PortfolioInput,
  prepared: PreparedRows,
  folds: readonly Fold[],
  keepUnits = false,
): TestedPortfolio {
  const { study, panel, rules } = input
  const kindByBar = decisionBars(study, panel)
  const { bars, places } = chooseBars(panel.timeCount, (time) => kindByBar[time] !== decisionKinds.none)
  const decisions = new Uint8Array(panel.timeCount)
  const width = panel.symbols.length
  const signal = new Float64Array(bars.length * width).fill(NaN)
  for (const chosenText of new Set(folds.map(({ chosen }) => JSON.stringify(chosen)))) {
    const foldsOfChosen = folds.filter((fold) => JSON.stringify(fold.chosen) === chosenText)
    const parameters = foldsOfChosen[0].chosen
    const formula = parameters && combinationStudy(study, parameters).signal
    const values = formula === null ? null : evaluateAtTimes(panel, 'signal', formula, bars, rules)
    for (const { firstDay, endDay } of foldsOfChosen) {
      const end = barOfDay(panel, endDay)
      for (let time = barOfDay(panel, firstDay); time < end; time++) {
        if (!kindByBar[time]) continue
        decisions[time] = values === null ? decisionKinds.flat : decisionKinds.signal
        const from = places[time] * width
        if (typeof values === 'number') signal.fill(values, from, from + width)
        else if (values) signal.set(values.subarray(from, from + width), from)
      }
    }
  }
  return simulate(study, { ...prepared, signal, decisions, decisionPlaces: places }, keepUnits)
}

/** Finds the first bar of a day, clamped to the panel. */
function barOfDay(panel: Panel, day: number): number {
  const bar = (day * MS_PER_DAY) / panel.intervalMs - panel.firstSlot
  return Math.max(0, Math.min(panel.timeCount, Math.ceil(bar)))
}

/** Builds the part of a test's result that does not depend on the ledger. */
export function describeTest(input: PortfolioInput, { rows, run }: TestedPortfolio) {
  const { study, panel, notDownloaded, funding } = input
  const warnings = [
    ...(input.warnings ?? []),
    ...runWarnings(study, panel, run),
    ...fundingWarnings(funding?.rows ?? []),
  ]
  if (panel.duplicates > 0) warnings.push(portfolioWarning('duplicate-rows'))
  return {
    version: 1 as const,
    kind: 'portfolio' as const,
    study,
    data: {
      ...describePanel(panel),
      ...(notDownloaded && { notDownloaded }),
      ...(funding && { funding: funding.rows }),
    },
    warnings: sortPortfolioWarnings(warnings),
    ...describeRun(study, panel, run),
    capacity: study.capacity && study.walkForward === null ? capacityLevels(input, rows) : null,
    ...(rows.exposure && { unscaled: unscaledFigures(input, rows) }),
  }
}

export type TestDescription = ReturnType<typeof describeTest>

/** Reruns the test with other amounts of capital. */
function capacityLevels({ study, panel }: PortfolioInput, rows: PortfolioRows) {
  return (study.capacity?.levels ?? []).map((capital) => {
    const { run } = simulate(study, rows, false, capital)
    const { days, net } = dailyReturns(panel, run, capital)
    const { sharpe, totalReturn } = figuresOf(days, net, study.riskFree)
    const shares = run.participation.filter((share) => !Number.isNaN(share))
    return {
      capital,
      sharpe,
      totalReturn,
      maxParticipation: finiteOrNull(shares.reduce((most, share) => Math.max(most, share), -Infinity)),
      unknownSlippageNotional: run.unknownSlippage,
      ruined: run.isRuined,
    }
  })
}

function unscaledFigures({ study, panel }: PortfolioInput, rows: PortfolioRows) {
  const { run } = simulate(study, { ...rows, exposure: null }, false)
  const { days, net, gross } = dailyReturns(panel, run, study.capital)
  return { net: figuresOf(days, net, study.riskFree), gross: figuresOf(days, gross, study.riskFree) }
}

/** Facts about a run that the ledger stores. */
export interface RunRecord {
  firstDay: number | null
  net: Float64Array
  totalReturn: number | null
  maxDrawdown: number | null
  ruined: boolean
  /** True if nothing was ever traded, so that the run is not a trial. */
  isNeverTraded: boolean
}

export function recordOf({ study, panel }: PortfolioInput, { run }: TestedPortfolio): RunRecord {
  const daily: DailyReturns = dailyReturns(panel, run, study.capital)
  const { totalReturn, maxDrawdown } = figuresOf(daily.days, daily.net, study.riskFree)
  return {
    firstDay: daily.days[0] ?? null,
    net: daily.net,
    totalReturn,
    maxDrawdown,
    ruined: run.isRuined,
    isNeverTraded: isNeverTraded(run),
  }
}
