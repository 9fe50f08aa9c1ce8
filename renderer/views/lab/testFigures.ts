import type { DailySeries } from '#shared/portfolio/dailySeries.ts'
import { DAYS_PER_YEAR, drawdownsOf, equityOf } from '#shared/portfolio/figures.ts'
import type { TrialDistribution } from '#shared/lab/portfolio/trialDistribution.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { netReturns } from '#shared/lab/portfolio/compareReturns.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { numberText } from '#shared/units/numberKinds.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import type { Figure } from '../../charts/small/figure.ts'
import { type ChartModel, emptyModel } from '../../charts/model.ts'
import { testText } from '../../text/labTests.ts'
import { dailyChartSeries, dailyPane } from '../portfolios/dailyData.ts'
import { barsFigure, barPositions } from './signalFigures.ts'

const { series: text, figures: titles } = testText

/** Annualises a daily Sharpe ratio. */
export const annualisedSharpe = (sharpe: number | null): number | null => sharpe && sharpe * Math.sqrt(DAYS_PER_YEAR)

/** Components of the change in equity, in the order in which a bar applies them. */
export const amountKeys = ['price', 'funding', 'fee', 'spread', 'slippage'] as const

/** Daily returns with which a test is compared. */
export interface ComparedReturns {
  label: string
  series: DailySeries
}

const seriesOf = ({ days }: PortfolioResult, values: readonly (number | null)[]): DailySeries => ({
  days: Int32Array.from(days, dayNumberOf),
  values: Float64Array.from(values, (value) => value ?? NaN),
  valid: Uint8Array.from(values, (value) => (value === null ? 0 : 1)),
})

/** Returns the equity before a day. A compared curve that begins on this day starts at this level. */
const equityBefore = ({ days, values }: DailySeries, day: number): number =>
  equityOf(values.filter((_, at) => days[at] < day)).at(-1) ?? 1

/** Builds the panes of equity and drawdown. */
export function performanceModel(result: PortfolioResult, compared: ComparedReturns | null): ChartModel {
  const net = netReturns(result)
  const gross = { ...net, values: Float64Array.from(result.gross) }
  const lines = [
    { label: text.net, series: net, startEquity: 1 },
    { label: text.gross, series: gross, startEquity: 1 },
    ...(compared ? [{ ...compared, startEquity: equityBefore(net, compared.series.days[0]) }] : []),
  ]
  const linesOf = (curveOf: (values: Float64Array, startEquity: number) => Float64Array, kind: 'ratio' | 'share') =>
    lines.map(({ label, series, startEquity }, colour) =>
      dailyChartSeries(
        label,
        { days: series.days, values: curveOf(series.values, startEquity), valid: null },
        { kind, colour },
      ),
    )
  return {
    ...emptyModel(titles.equity.title),
    panes: [
      dailyPane(
        'equity',
        titles.equity.title,
        linesOf((values, startEquity) => equityOf(values).map((level) => level * startEquity), 'ratio'),
      ),
      dailyPane(
        'underwater',
        text.underwater,
        linesOf((values) => drawdownsOf(equityOf(values)), 'share'),
      ),
    ],
  }
}

/** Builds the chart of exposure by day. */
export function exposureModel(result: PortfolioResult): ChartModel {
  const exposureKinds = ['gross', 'net', 'long', 'short'] as const
  const lines = exposureKinds.map((side, colour) =>
    dailyChartSeries(text[side], seriesOf(result, result.exposure[side]), { kind: 'ratio', colour }),
  )
  return { ...emptyModel(titles.exposure.title), panes: [dailyPane('exposure', '', lines)] }
}

/** Builds the chart of the cumulative amount of each component. */
export function amountsModel(result: PortfolioResult): ChartModel {
  const lines = amountKeys.map((component, colour) => {
    let sum = 0
    const values = result.amounts[component].map((amount) => (sum += amount))
    return dailyChartSeries(text[component], seriesOf(result, values), { kind: 'notional', colour })
  })
  return { ...emptyModel(titles.profitAndLossByDay.title), panes: [dailyPane('amounts', '', lines)] }
}

/** Draws each component of profit and loss, and their total, relative to the initial capital. */
export const profitAndLossFigure = ({ costs, study }: PortfolioResult): Figure | null =>
  barsFigure(
    [...amountKeys.map((component) => text[component]), text.total],
    [...amountKeys.map((component) => costs[component]), costs.total].map((amount) => ({
      mean: amount / study.capital,
    })),
    { title: '', kind: 'share', label: text.total },
  )

const MOST_DRAWN_SYMBOLS = 24

/** Draws the symbols with the largest gains and losses. */
export function symbolsFigure({ symbols, study }: PortfolioResult): Figure | null {
  const largestSymbols = [...symbols].sort((a, b) => Math.abs(b.total) - Math.abs(a.total)).slice(0, MOST_DRAWN_SYMBOLS)
  largestSymbols.sort((a, b) => b.total - a.total)
  return barsFigure(
    largestSymbols.map(({ symbol }) => symbolBase(symbol)),
    largestSymbols.map(({ total }) => ({ mean: total / study.capital })),
    { title: '', kind: 'share', label: text.total },
  )
}

/**
 * Returns the base asset of a symbol such as `alpha-futures/perpetual-BTC-USDT:USDT`, because an axis has little room.
 */
export const symbolBase = (symbol: string): string => /(?:^|\/)\w+-([^-]+)-[^-]+$/.exec(symbol)?.[1] ?? symbol

/** Shortens a capital without rounding it. */
const compactFormat = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 12 })

export const capacityFigure = ({ capacity }: PortfolioResult): Figure | null =>
  capacity &&
  barsFigure(
    capacity.map(({ capital, maxParticipation }) =>
      [compactFormat.format(capital), maxParticipation !== null && `${numberText('percentFigure', maxParticipation)} %`]
        .filter(Boolean)
        .join(' · '),
    ),
    capacity.map(({ sharpe }) => ({ mean: sharpe })),
    { title: titles.capacity.axis, label: text.sharpe },
  )

/** Draws a histogram of the logits of the best trial’s out-of-sample rank; null if there are none. */
export function pboFigure({ overfitting: { pbo } }: PortfolioResult): Figure | null {
  if (!pbo) return null
  const largestLogit = pbo.logits.reduce((largest, logit) => Math.max(largest, Math.abs(logit)), 0.5)
  const BIN_COUNT = 20
  const width = (2 * largestLogit) / BIN_COUNT
  const counts = new Float64Array(BIN_COUNT)
  for (const logit of pbo.logits) counts[Math.min(BIN_COUNT - 1, Math.floor((logit + largestLogit) / width))] += 1
  const x = Float64Array.from({ length: BIN_COUNT }, (_, at) => -largestLogit + (at + 0.5) * width)
  return {
    axis: { kind: 'numbers', title: 'λ' },
    kind: 'count',
    baseline: 0,
    marks: [{ kind: 'bars', label: text.splits, colour: 0, x, y: counts }],
  }
}

/** Draws a histogram of the trials' Sharpe ratios, and as a line the counts expected from noise. */
export function trialsFigure({ edges, counts, noise }: TrialDistribution): Figure {
  const x = Float64Array.from(counts, (_, at) => (edges[at] + edges[at + 1]) / 2)
  return {
    axis: { kind: 'numbers', title: testText.trials.columns.sharpe },
    kind: 'count',
    baseline: 0,
    marks: [
      { kind: 'bars', label: text.trials, colour: 0, x, y: Float64Array.from(counts) },
      { kind: 'line', label: text.noise, colour: 1, x, y: Float64Array.from(noise), isDashed: true, widthPx: 2 },
    ],
  }
}

/** Draws the Sharpe ratio of each fold on its training days and on its test days. */
export function foldsFigure(result: PortfolioResult): Figure | null {
  const { walkForward } = result
  if (!walkForward) return null
  const { folds } = walkForward
  const labels = folds.map(({ fromDay }) => fromDay)
  const x = barPositions(folds.length)
  const testSharpes = foldSharpes(result)
  return {
    axis: { kind: 'names', labels },
    kind: 'ratio',
    baseline: 0,
    marks: [
      { kind: 'bars', label: text.test, colour: 0, x, y: Float64Array.from(testSharpes, (value) => value ?? NaN) },
      {
        kind: 'points',
        label: text.train,
        colour: 1,
        x,
        y: Float64Array.from(folds, ({ trainSharpe }) => annualisedSharpe(trainSharpe) ?? NaN),
      },
    ],
  }
}

/** Computes the annualised Sharpe ratio on the test days of each fold. */
export function foldSharpes({ walkForward, days, net, study }: PortfolioResult): (number | null)[] {
  const dailyRiskFree = (1 + study.riskFree) ** (1 / DAYS_PER_YEAR) - 1
  return (walkForward?.folds ?? []).map(({ fromDay, toDay }) => {
    const values = net.filter((_, at) => days[at] >= fromDay && days[at] <= toDay).map((value) => value - dailyRiskFree)
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1))
    return deviation > 0 ? annualisedSharpe(mean / deviation) : null
  })
}

export const parameterText = (parameters: Readonly<Record<string, number>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name} ${formatNumber(value, Number.isInteger(value) ? 0 : 4)}`)
    .join(', ')
