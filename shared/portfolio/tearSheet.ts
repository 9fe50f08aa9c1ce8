import type { NumberColumn } from '#shared/contract/frame.ts'
import { benchmarkFigures, commonReturns } from './benchmark.ts'
import {
  dailyReturns,
  extremes,
  monthlyReturns,
  type PeriodReturn,
  weeklyReturns,
  type YearRow,
  yearTable,
} from './calendarReturns.ts'
import type { DailySeries } from './dailySeries.ts'
import { deepestEpisodes, type Episode } from './episodes.ts'
import { type FigureValues, figureValues } from './figures.ts'
import { type Histogram, histogramOf } from './histogram.ts'
import { finiteColumn } from './missingColumn.ts'
import { DEFAULT_ROLLING_WINDOW, rollingBeta, rollingRisk } from './rolling.ts'
import { conventionsLine, returnsView, type ViewOptions } from './returnsView.ts'
import { type ReturnWindow, returnWindows } from './windows.ts'

interface Extremes {
  best: PeriodReturn[]
  worst: PeriodReturn[]
}

/** Everything the page of a portfolio's returns shows for the range in view. */
export interface TearSheet {
  conventions: string
  days: Int32Array
  returns: Float64Array
  equity: NumberColumn
  drawdowns: NumberColumn
  figures: FigureValues
  rolling: { window: number; sharpe: NumberColumn; volatility: NumberColumn }
  /** Null without a benchmark; its days are the common ones. */
  benchmark: { days: Int32Array; figures: FigureValues; rollingBeta: NumberColumn } | null
  episodes: Episode[]
  years: YearRow[]
  windows: ReturnWindow[]
  extremeDays: Extremes
  extremeWeeks: Extremes
  extremeMonths: Extremes
  distribution: Histogram | null
}

export interface TearSheetOptions extends ViewOptions {
  benchmark?: DailySeries
  rollingWindow?: number
}

const SHOWN_EXTREMES = 10
const SHOWN_EPISODES = 10

export function tearSheet(series: DailySeries, options: TearSheetOptions = {}): TearSheet {
  const { benchmark, rollingWindow = DEFAULT_ROLLING_WINDOW, riskFree = 0 } = options
  const view = returnsView(series, options)
  const { days, returns, equity, drawdowns, sorted } = view
  const values = figureValues(view)
  const months = monthlyReturns(view)
  return {
    conventions: conventionsLine(riskFree),
    days,
    returns,
    equity: finiteColumn('equity', equity),
    drawdowns: finiteColumn('drawdown', drawdowns),
    figures: values,
    rolling: { window: rollingWindow, ...rollingRisk(view, rollingWindow) },
    benchmark: benchmark ? againstBenchmark(view, benchmark, rollingWindow) : null,
    episodes: deepestEpisodes(view.episodes, SHOWN_EPISODES),
    years: yearTable(view, months),
    windows: returnWindows(view, values),
    extremeDays: extremes(dailyReturns(view), SHOWN_EXTREMES),
    extremeWeeks: extremes(weeklyReturns(view), SHOWN_EXTREMES),
    extremeMonths: extremes(months, SHOWN_EXTREMES),
    distribution: histogramOf(sorted),
  }
}

function againstBenchmark(
  view: { days: Int32Array; returns: Float64Array },
  benchmark: DailySeries,
  window: number,
): TearSheet['benchmark'] {
  const common = commonReturns(view, benchmark)
  const figures = Object.fromEntries(benchmarkFigures.map(({ id, compute }) => [id, compute(common)]))
  return { days: common.days, figures, rollingBeta: rollingBeta(common, window) }
}
