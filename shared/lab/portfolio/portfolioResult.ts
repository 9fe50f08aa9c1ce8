import { figureValues, returnsView } from '#shared/portfolio/figures.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { agree, plainPlural } from '#shared/units/plurals.ts'
import { finiteOrNull } from '#shared/statistics/finiteOrNull.ts'
import { byCodeUnits, type Panel, timeAt } from '../panel.ts'
import { namedSome } from '../fundingWarnings.ts'
import { quantileOf } from '../samples.ts'
import type { PortfolioStudy } from '../kinds/portfolio/fields.ts'
import { portfolioWarning, type PortfolioWarning } from './portfolioWarnings.ts'
import type { CashFlows, PortfolioRun } from './simulatePortfolio.ts'

const DAYS_PER_YEAR = 365
const flowKinds = ['price', 'funding', 'fee', 'spread', 'slippage'] as const

const ratioOf = (numerator: number, denominator: number) => finiteOrNull(numerator / denominator)

/** Daily returns of a run; days are counted from the epoch. */
export interface DailyReturns {
  days: Int32Array
  net: Float64Array
  gross: Float64Array
  /** Indexes of the last bar of each day. */
  lastBars: Int32Array
}

/** Computes the return of each UTC day by compounding its bars. */
export function dailyReturns(panel: Panel, run: PortfolioRun, capital: number): DailyReturns {
  const days: number[] = []
  const net: number[] = []
  const gross: number[] = []
  const lastBars: number[] = []
  for (let bar = Math.max(run.first, 0); run.first >= 0 && bar < run.end; bar++) {
    const day = Math.floor(timeAt(panel, bar) / MS_PER_DAY)
    if (days.at(-1) !== day) {
      days.push(day)
      net.push(1)
      gross.push(1)
      lastBars.push(bar)
    }
    const at = days.length - 1
    const before = bar === 0 ? capital : run.equity[bar - 1]
    net[at] *= run.equity[bar] / before
    gross[at] *= 1 + run.byBar.price[bar] / before
    lastBars[at] = bar
  }
  const minusOne = (values: number[]) => Float64Array.from(values, (value) => value - 1)
  return {
    days: Int32Array.from(days),
    net: minusOne(net),
    gross: minusOne(gross),
    lastBars: Int32Array.from(lastBars),
  }
}

/** Computes the tear-sheet figures of daily returns. */
export const figuresOf = (days: Int32Array, returns: Float64Array, riskFree: number) =>
  figureValues(returnsView({ days, values: returns, valid: null }, { riskFree }))

/** Builds the part of a result that does not depend on the ledger. */
export function describeRun(study: PortfolioStudy, panel: Panel, run: PortfolioRun) {
  const daily = dailyReturns(panel, run, study.capital)
  const { days, net, gross, lastBars } = daily
  const { gains, losses } = run.counts
  return {
    days: Array.from(days, dayFromNumber),
    net: [...net],
    gross: [...gross],
    equity: Array.from(lastBars, (bar) => run.equity[bar]),
    amounts: amountsByDay(run, lastBars),
    exposure: describeExposure(run, lastBars),
    turnover: describeTurnover(run, days.length),
    drift: describeDrift(run, days.length),
    symbols: symbolRows(panel, run),
    costs: { ...sumsOf(run.byBar), traded: sum(run.byBar.traded) },
    breakEvenFeeBps: breakEvenFee(run, study.capital),
    hitRate: ratioOf(gains, gains + losses),
    figures: { net: figuresOf(days, net, study.riskFree), gross: figuresOf(days, gross, study.riskFree) },
    participation: study.costs.volume === null ? null : describeParticipation(run),
    unknown: {
      fundingShare: run.heldNotional === 0 ? 0 : run.unknownFunding / run.heldNotional,
      spreadNotional: run.unknownSpread,
      slippageNotional: run.unknownSlippage,
      volumeTrades: run.counts.tradesWithoutVolume,
    },
    assumed: { fundingShare: run.dueNotional === 0 ? 0 : run.assumedNotional / run.dueNotional },
    worstDays: worstDays(panel, run, daily),
    attrition: describeAttrition(run),
    ruin: run.isRuined ? { time: timeAt(panel, run.end - 1), equity: finiteOrNull(run.equity[run.end - 1]) } : null,
    ...(run.units && { bars: barRows(panel, run, run.units) }),
  }
}

const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0)

function sumsOf(flows: CashFlows) {
  const [price, funding, fee, spread, slippage] = flowKinds.map((kind) => sum(flows[kind]))
  return { price, funding, fee, spread, slippage, total: price + funding + fee + spread + slippage }
}

function amountsByDay(run: PortfolioRun, lastBars: Int32Array) {
  const sumsByDay = (values: Float64Array) =>
    Array.from(lastBars, (last, day) => sum(values.subarray(day === 0 ? run.first : lastBars[day - 1] + 1, last + 1)))
  const { price, funding, fee, spread, slippage, traded } = run.byBar
  return {
    price: sumsByDay(price),
    funding: sumsByDay(funding),
    fee: sumsByDay(fee),
    spread: sumsByDay(spread),
    slippage: sumsByDay(slippage),
    traded: sumsByDay(traded),
  }
}

function describeExposure({ long, short, first, end }: PortfolioRun, lastBars: Int32Array) {
  const atDayEnds = (valueAt: (bar: number) => number) => Array.from(lastBars, (bar) => finiteOrNull(valueAt(bar)))
  const gross = (bar: number) => long[bar] - short[bar]
  const net = (bar: number) => long[bar] + short[bar]
  const longOf = (bar: number) => long[bar]
  const shortOf = (bar: number) => short[bar]
  const mean = (valueAt: (bar: number) => number) => {
    let total = 0
    let count = 0
    for (let bar = Math.max(first, 0); first >= 0 && bar < end; bar++) {
      const value = valueAt(bar)
      if (Number.isNaN(value)) continue
      total += value
      count++
    }
    return ratioOf(total, count)
  }
  let maxGross = -Infinity
  for (let bar = Math.max(first, 0); first >= 0 && bar < end; bar++) if (gross(bar) > maxGross) maxGross = gross(bar)
  return {
    gross: atDayEnds(gross),
    net: atDayEnds(net),
    long: atDayEnds(longOf),
    short: atDayEnds(shortOf),
    mean: { gross: mean(gross), net: mean(net), long: mean(longOf), short: mean(shortOf) },
    maxGross: finiteOrNull(maxGross),
  }
}

function describeTurnover(run: PortfolioRun, days: number) {
  const { rebalances, trades } = run.counts
  let oneWay = 0
  for (let bar = 0; bar < run.end; bar++) {
    if (run.byBar.traded[bar] !== 0) oneWay += run.byBar.traded[bar] / run.equityBefore[bar] / 2
  }
  return {
    rebalances,
    trades,
    oneWayPerRebalance: ratioOf(oneWay, rebalances),
    oneWayAnnual: ratioOf(oneWay * DAYS_PER_YEAR, days),
  }
}

/**
 * Computes the turnover caused by price drift: the trades beyond the changes of the targets. It is negative if
 * prices moved the weights towards the new targets.
 */
function describeDrift({ byBar, equityBefore, targetChange, end }: PortfolioRun, days: number) {
  let oneWay = 0
  let cost = 0
  for (let bar = 0; bar < end; bar++) {
    const traded = byBar.traded[bar] / equityBefore[bar]
    if (!(traded > 0)) continue
    const driftTurnover = traded - targetChange[bar]
    oneWay += driftTurnover / 2
    cost += (byBar.fee[bar] + byBar.spread[bar] + byBar.slippage[bar]) * (driftTurnover / traded)
  }
  return { oneWayAnnual: ratioOf(oneWay * DAYS_PER_YEAR, days), cost: finiteOrNull(cost) }
}

function symbolRows(panel: Panel, { bySymbol, barsHeld }: PortfolioRun) {
  return panel.symbols
    .map((symbol, at) => {
      const [price, funding, fee, spread, slippage] = flowKinds.map((kind) => bySymbol[kind][at])
      const total = price + funding + fee + spread + slippage
      return {
        symbol,
        price,
        funding,
        fee,
        spread,
        slippage,
        total,
        traded: bySymbol.traded[at],
        barsHeld: barsHeld[at],
      }
    })
    .filter(({ traded, barsHeld: bars }) => traded !== 0 || bars > 0)
    .sort((a, b) => byCodeUnits(a.symbol, b.symbol))
}

/** Finds the fee in basis points at which the returns of all bars would add up to zero. */
function breakEvenFee({ byBar, equity, end }: PortfolioRun, capital: number): number | null {
  let earned = 0
  let traded = 0
  for (let bar = 0; bar < end; bar++) {
    const before = bar === 0 ? capital : equity[bar - 1]
    earned += (byBar.price[bar] + byBar.funding[bar] + byBar.spread[bar] + byBar.slippage[bar]) / before
    traded += byBar.traded[bar] / before
  }
  return ratioOf(1e4 * earned, traded)
}

function describeParticipation({ participation }: PortfolioRun) {
  const shares = participation.filter((share) => !Number.isNaN(share)).sort()
  return {
    bars: shares.length,
    median: quantileOf(shares, 0.5),
    p95: quantileOf(shares, 0.95),
    max: shares.at(-1) ?? null,
  }
}

/** Number of worst days in a result. */
const WORST_DAYS = 10
/** Maximum number of positions listed for each worst day. */
const LISTED_POSITIONS = 10

/** Lists the days with the lowest net returns, each with the largest weights at its start. */
function worstDays(panel: Panel, { dayWeights }: PortfolioRun, { days, net, lastBars }: DailyReturns) {
  const daysByReturn = Array.from(net, (value, at) => ({ value, at })).sort((a, b) => a.value - b.value || a.at - b.at)
  return daysByReturn.slice(0, WORST_DAYS).map(({ value, at }) => {
    const weights = (at > 0 && dayWeights.get(lastBars[at - 1])) || new Float64Array(0)
    const positions = Array.from(weights, (weight, symbol) => ({ symbol: panel.symbols[symbol], weight }))
      .filter(({ weight }) => weight !== 0)
      .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight) || byCodeUnits(a.symbol, b.symbol))
    return {
      day: dayFromNumber(days[at]),
      net: value,
      positions: positions.length,
      weights: positions.slice(0, LISTED_POSITIONS),
    }
  })
}

/** Weights at the end of each day, by day and symbol. */
export interface DailyWeights {
  symbols: string[]
  days: string[]
  /** Weights by day, one for each symbol; 0 if it is not held. */
  weights: number[][]
}

/** Maximum number of weights in a result. */
const MOST_WEIGHTS = 2_000_000

/** Lists the weights after the last bar of each day; null if there are too many to keep. */
export function dailyWeights(panel: Panel, run: PortfolioRun, capital: number): DailyWeights | null {
  const { days, lastBars } = dailyReturns(panel, run, capital)
  const heldSymbols = panel.symbols
    .map((_, at) => at)
    .filter((at) => run.bySymbol.traded[at] !== 0 || run.barsHeld[at] > 0)
  if (heldSymbols.length * days.length > MOST_WEIGHTS) return null
  // A range that ends before midnight has no weights for its last day.
  const completeDays = [...lastBars.keys()].filter((day) => run.dayWeights.has(lastBars[day]))
  return {
    symbols: heldSymbols.map((at) => panel.symbols[at]),
    days: completeDays.map((day) => dayFromNumber(days[day])),
    weights: completeDays.map((day) => {
      const weights = run.dayWeights.get(lastBars[day])
      return heldSymbols.map((at) => weights?.[at] ?? 0)
    }),
  }
}

function describeAttrition({ counts }: PortfolioRun) {
  const { bars, decisions, skipped, flat, ineligible, untraded, settled, capShort, missingPrice } = counts
  return { bars, decisions, skipped, flat, ineligible, untraded, settled, capShort, missingPrice }
}

function barRows(panel: Panel, { byBar, equity, first, end }: PortfolioRun, units: readonly Float64Array[]) {
  if (first < 0) return []
  return Array.from({ length: end - first }, (_, at) => {
    const bar = first + at
    return {
      time: timeAt(panel, bar),
      equity: equity[bar],
      traded: byBar.traded[bar],
      price: byBar.price[bar],
      funding: byBar.funding[bar],
      fee: byBar.fee[bar],
      spread: byBar.spread[bar],
      slippage: byBar.slippage[bar],
      units: Object.fromEntries(
        panel.symbols.flatMap((symbol, place) => (units[bar][place] === 0 ? [] : [[symbol, units[bar][place]]])),
      ),
    }
  })
}

/** Lists the warnings that follow from a run. */
export function runWarnings(study: PortfolioStudy, panel: Panel, run: PortfolioRun): PortfolioWarning[] {
  const { counts } = run
  const warnings: PortfolioWarning[] = []
  const warnIf = (applies: boolean, ...warned: Parameters<typeof portfolioWarning>) => {
    if (applies) warnings.push(portfolioWarning(...warned))
  }
  const unknownShare = run.unknownFunding / run.heldNotional
  warnIf(study.delayBars === 0, 'no-delay')
  warnIf(run.first < 0, 'no-decision')
  warnIf(isNeverTraded(run), 'never-traded', neverTradedText(run))
  warnIf(study.funding === 'required' && unknownShare > 0, 'funding-unknown', unknownFundingText(study, panel, run))
  warnIf(run.unknownSpread > 0, 'spread-unknown')
  warnIf(run.unknownSlippage > 0, 'slippage-unknown')
  warnIf(counts.untraded > 0, 'untraded', untradedText(counts.untraded))
  warnIf(counts.settled > 0, 'settled', settledText(counts.settled))
  warnIf(counts.capShort > 0, 'cap-short')
  warnIf(run.isRuined, 'ruined')
  return warnings
}

/** Tells whether a run has a bar at which it would have traded, but no trade. */
export const isNeverTraded = ({ first, counts }: PortfolioRun): boolean => first >= 0 && counts.trades === 0

const attritionNames = {
  skipped: 'decisions without an eligible symbol',
  flat: 'decisions that closed everything',
  ineligible: 'members without a signal',
  untraded: 'trades not made for lack of a price',
}

function neverTradedText({ counts }: PortfolioRun): string {
  const names = Object.keys(attritionNames) as (keyof typeof attritionNames)[]
  const [most] = names.sort((a, b) => counts[b] - counts[a])
  const reason =
    counts[most] === 0 ? '' : ` The largest count of its attrition: ${counts[most]} ${attritionNames[most]}.`
  return `${plainPlural(counts.decisions, 'decision was', 'decisions were')} made, but nothing was ever traded, so this run is not a trial.${reason}`
}

const untradedText = (count: number) =>
  `${plainPlural(count, 'target')} could not be traded because ${agree(count, 'its symbol', 'their symbols')} had no price.`
const settledText = (count: number) =>
  `${plainPlural(count, 'position was', 'positions were')} closed at the last known price because ${agree(count, 'its symbol', 'their symbols')} had had no price for too long.`

function unknownFundingText(
  { source }: PortfolioStudy,
  { symbols }: Panel,
  { unknownFunding, heldNotional, hasUnknownFunding }: PortfolioRun,
): string {
  const percent = Number(((unknownFunding / heldNotional) * 100).toPrecision(3))
  const names = symbols.filter((_, symbol) => hasUnknownFunding[symbol])
  const remedy =
    source === null
      ? ''
      : ' Download raw funding_rate events, import funding periods with the instruments, or name one as source.fundingEvery.'
  return `Funding is unknown for ${percent} % of the held notional; net excludes it (${namedSome(names)}).${remedy}`
}
