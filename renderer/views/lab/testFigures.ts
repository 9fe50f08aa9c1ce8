import type { DailySeries } from '#shared/portfolio/dailySeries.ts'
import { drawdownsOf, equityOf } from '#shared/portfolio/figures.ts'
import type { TrialDistribution } from '#shared/lab/portfolio/trialDistribution.ts'
import { amountKeys, annualisedSharpe, foldSharpes } from '#shared/lab/kinds/portfolio/testStatistics.ts'
import { baseShortener } from '#shared/lab/symbolNames.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { netReturns } from '#shared/lab/portfolio/compareReturns.ts'
import { binOf, readableEdges } from '#shared/statistics/readableBins.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { numberText } from '#shared/units/numberKinds.ts'
import type { Figure } from '../../charts/small/figure.ts'
import { type ChartModel, emptyModel } from '../../charts/model.ts'
import { testText } from '../../text/labTests.ts'
import { dailyChartSeries, dailyPane } from '../../cards/dailyData.ts'
import { barsFigure, barPositions } from './signalFigures.ts'

const { series: text, figures: titles } = testText

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

/** Draws how the components of profit and loss add up to the total, relative to the initial capital. */
export function profitAndLossFigure({ costs, study }: PortfolioResult): Figure {
  const keys = [...amountKeys, 'total' as const]
  return {
    axis: { kind: 'names', labels: keys.map((key) => text[key]) },
    kind: 'share',
    baseline: 0,
    marks: [
      {
        ...{ kind: 'waterfall', label: text.total, colour: 0, x: barPositions(keys.length) },
        y: Float64Array.from(keys, (key) => costs[key] / study.capital),
      },
    ],
  }
}

const MOST_DRAWN_SYMBOLS = 24

/** Draws the symbols with the largest gains and losses. */
export function symbolsFigure({ symbols, study }: PortfolioResult): Figure | null {
  const largestSymbols = [...symbols].sort((a, b) => Math.abs(b.total) - Math.abs(a.total)).slice(0, MOST_DRAWN_SYMBOLS)
  largestSymbols.sort((a, b) => b.total - a.total)
  const fullNames = largestSymbols.map(({ symbol }) => symbol)
  return barsFigure(
    fullNames.map(baseShortener(symbols.map(({ symbol }) => symbol))),
    largestSymbols.map(({ total }) => ({ mean: total / study.capital })),
    { title: '', kind: 'share', label: text.total, fullNames },
  )
}

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
  const MOST_BINS = 20
  // A logit of 0 is an edge, because the probability is the share of the splits at or below it.
  const edges = readableEdges(-largestLogit, largestLogit, MOST_BINS)
  const counts = new Float64Array(edges.length - 1)
  for (const logit of pbo.logits) counts[binOf(edges, logit)] += 1
  const x = Float64Array.from(counts, (_, at) => (edges[at] + edges[at + 1]) / 2)
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
