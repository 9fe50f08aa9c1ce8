import type { DailyMatrix } from '#shared/portfolio/dailySeries.ts'
import { memberFinder } from '#shared/portfolio/universeHistory.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { HorizonWalk, leastCells } from './crossSections.ts'
import { byCodeUnits, type Panel, timeAt } from './panel.ts'
import { assignGroups } from './quantileGroups.ts'
import { type Estimate, estimateOf } from './samples.ts'
import { onlyPositivePrices, type SignalBlock, SignalBlocks } from './signalCells.ts'
import { type HorizonResult, HorizonStudy } from './kinds/signal/signalStudy.ts'
import { MemoryMatrix, memoryPanel } from './studyPanel.ts'

/** Stored answers of the portfolio service that a factor study uses. */
interface FactorAnswers {
  factor: DailyMatrix
  prices: DailyMatrix
  /** Members by day; null if the tickers are today's list, which lacks delisted ones. */
  universe: DailyMatrix | null
}

export interface FactorStudyOptions {
  quantiles: number
  horizonDays: number
  /** Number of days from a value to the entry price; 0 enters at the close from which the value was computed. */
  delayDays: number
  /** Trading cost, in basis points of traded notional. */
  costBps: number
}

export interface FactorStudy {
  /** Result of the signal study for the horizon. */
  horizon: HorizonResult
  costs: FactorCosts
  /** True if every day uses the universe of that day. */
  isByDate: boolean
}

/** The returns of the highest minus the lowest group over non-overlapping samples, before and after costs. */
interface FactorCosts {
  times: number[]
  /** Growth of 1 up to and including each sample, before costs. */
  gross: number[]
  /** Growth of 1 up to and including each sample, after costs. */
  net: number[]
  /** Sum of absolute weight changes of both groups: 4 if both are replaced completely, 2 for the first purchase. */
  traded: number[]
  /** Estimate of the mean return after costs. */
  netReturn: Estimate
  /** Mean turnover after the first sample; null with fewer than 2 samples. */
  meanTraded: number | null
}

/**
 * Runs a daily signal study of a factor: how well its values rank the returns that follow. A value is known at the end
 * of its day. Yields often, because it may take a long time.
 */
export function* factorStudy(answers: FactorAnswers, options: FactorStudyOptions): Generator<void, FactorStudy, void> {
  const { quantiles, horizonDays, delayDays, costBps } = options
  const grid = gridOf(answers)
  const signal = yield* matrixOn(grid, answers.factor)
  const price = yield* matrixOn(grid, answers.prices)
  const panel = yield* panelOf(grid, answers.universe, [signal, price])
  const width = panel.symbols.length
  const matrices = {
    signal: new MemoryMatrix(signal, width),
    price: new MemoryMatrix(onlyPositivePrices(price), width),
  }
  const blocks = new SignalBlocks(memoryPanel(panel), matrices)
  const document = { quantiles, sampling: 'nonOverlapping' as const, delayBars: delayDays }
  const study = new HorizonStudy(panel, document, horizonDays)
  const costs = new CostCollector(panel, { horizon: horizonDays, delay: delayDays, quantiles, costBps })
  for (const block of blocks.read(delayDays + horizonDays)) {
    study.add(block)
    costs.add(block)
    yield
  }
  return { horizon: study.result(blocks.lost), costs: costs.result(), isByDate: answers.universe !== null }
}

type FactorGrid = Pick<Panel, 'firstSlot' | 'timeCount' | 'symbols'>

/** Builds the grid of a factor's tickers over all days of the factor and the prices. */
function gridOf({ factor, prices }: FactorAnswers): FactorGrid {
  const days = [...factor.days, ...prices.days]
  const firstSlot = days.reduce((first, day) => Math.min(first, day), days.at(0) ?? 0)
  const timeCount = days.reduce((end, day) => Math.max(end, day + 1), firstSlot) - firstSlot
  return { firstSlot, timeCount, symbols: factor.tickers.toSorted(byCodeUnits) }
}

/** Builds the panel of a factor; a ticker has a row on each day with a value or a price. */
function* panelOf(
  grid: FactorGrid,
  universe: DailyMatrix | null,
  columns: readonly Float64Array[],
): Generator<void, Panel, void> {
  const { firstSlot, timeCount, symbols } = grid
  const hasRow = new Uint8Array(timeCount * symbols.length)
  for (const values of columns) values.forEach((value, cell) => value === value && (hasRow[cell] = 1))
  const member = universe && new Uint8Array(hasRow.length)
  if (universe && member) {
    const membersOfDay = memberFinder(universe, symbols)
    for (let time = 0; time < timeCount; time++) {
      member.set(membersOfDay(firstSlot + time), time * symbols.length)
      if (time % YIELD_EVERY === 0) yield
    }
  }
  return {
    ...{ ...grid, intervalMs: MS_PER_DAY, columns: new Map(), hasRow, member },
    ...{ otherColumns: [], columnNames: [], rows: 0, duplicates: 0 },
  }
}

const YIELD_EVERY = 64

/** Puts a daily matrix on the grid of a panel; NaN where it has no value. */
function* matrixOn(
  { firstSlot, timeCount, symbols }: FactorGrid,
  matrix: DailyMatrix,
): Generator<void, Float64Array, void> {
  const width = matrix.tickers.length
  const placeByTicker = new Map(matrix.tickers.map((ticker, at) => [ticker, at]))
  const places = symbols.map((symbol) => placeByTicker.get(symbol) ?? -1)
  const values = new Float64Array(timeCount * symbols.length).fill(NaN)
  for (const [row, day] of matrix.days.entries()) {
    const start = (day - firstSlot) * symbols.length
    places.forEach((place, symbol) => {
      const at = row * width + place
      if (place >= 0 && matrix.valid[at] && Number.isFinite(matrix.values[at]))
        values[start + symbol] = matrix.values[at]
    })
    if (row % YIELD_EVERY === 0) yield
  }
  return values
}

interface CostSettings {
  horizon: number
  delay: number
  quantiles: number
  costBps: number
}

/**
 * Iterates over the non-overlapping samples and charges costs for the trades between them, as if weights did not drift
 * between samples.
 */
class CostCollector {
  readonly #walk: HorizonWalk
  readonly #costs = { times: [] as number[], gross: [] as number[], net: [] as number[], traded: [] as number[] }
  readonly #netReturns: number[] = []

  constructor(panel: Panel, { horizon, delay, quantiles, costBps }: CostSettings) {
    const width = panel.symbols.length
    let heldWeights = new Float64Array(width)
    let firstValidTime = -1
    const growth = { gross: 1, net: 1 }
    const costs = this.#costs
    this.#walk = new HorizonWalk(width, { horizon, delay, least: leastCells(quantiles) }, (section) => {
      if (firstValidTime < 0) firstValidTime = section.time
      if ((section.time - firstValidTime) % horizon !== 0) return
      const groups = assignGroups(section, quantiles, width)
      const spread = groups.returns[quantiles] - groups.returns[1]
      // A sample with an empty group is skipped, and the holdings of the sample before it are kept.
      if (Number.isNaN(spread)) return
      const targetWeights = Float64Array.from(groups.ofSymbol, (group) =>
        group === quantiles ? 1 / groups.sizes[quantiles] : group === 1 ? -1 / groups.sizes[1] : 0,
      )
      const traded = targetWeights.reduce((sum, weight, symbol) => sum + Math.abs(weight - heldWeights[symbol]), 0)
      const net = spread - (traded * costBps) / 1e4
      heldWeights = targetWeights
      growth.gross *= 1 + spread
      growth.net *= 1 + net
      costs.times.push(timeAt(panel, section.time))
      costs.gross.push(growth.gross)
      costs.net.push(growth.net)
      costs.traded.push(traded)
      this.#netReturns.push(net)
    })
  }

  add(block: SignalBlock): void {
    this.#walk.add(block)
  }

  result(): FactorCosts {
    const laterTraded = this.#costs.traded.slice(1)
    const meanTraded =
      laterTraded.length === 0 ? null : laterTraded.reduce((sum, one) => sum + one, 0) / laterTraded.length
    return { ...this.#costs, netReturn: estimateOf(Float64Array.from(this.#netReturns)), meanTraded }
  }
}
