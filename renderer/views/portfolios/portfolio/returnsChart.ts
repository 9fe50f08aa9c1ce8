import type { NumberColumn } from '#shared/contract/frame.ts'
import { rowsWhere, takeRows, type DailySeries } from '#shared/portfolio/dailySeries.ts'
import type { TearSheet } from '#shared/portfolio/tearSheet.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import { emptyModel, type ChartModel, type ChartSeries, type Pane, type TimeRange } from '../../../charts/model.ts'

/** One portfolio in the chart. */
export interface ChartedPortfolio {
  id: string
  label: string
  /** Tear sheet of all days, so that the days before the view keep their line. */
  whole: TearSheet
  /** Tear sheet of the days in view. */
  inView: TearSheet
}

export interface ReturnsChartDeps {
  portfolios: readonly ChartedPortfolio[]
  benchmark: { label: string; prices: DailySeries } | null
  scale: 'linear' | 'log'
  range: TimeRange | null
}

const timesOf = (days: Int32Array) => Float64Array.from(days, (day) => day * MS_PER_DAY)

function daily(
  id: string,
  label: string,
  days: Int32Array,
  { values, valid }: Pick<NumberColumn, 'values' | 'valid'>,
  look: { kind: NumberKind; colour: number; style?: ChartSeries['style'] },
): ChartSeries {
  const { kind, colour, style = 'line' } = look
  const unit = kind === 'share' ? '%' : ''
  const shared = { id, label, kind, unit, colour, style, valid, values, times: timesOf(days) }
  return { ...shared, stepMs: MS_PER_DAY, axis: 'left', transform: 'none' }
}

/** Builds the panes of equity, underwater, rolling Sharpe, volatility and beta. */
export function returnsChart({ portfolios, benchmark, scale, range }: ReturnsChartDeps): ChartModel {
  const pane = (id: string, title: string, series: ChartSeries[], paneScale: Pane['scale'] = 'linear'): Pane[] =>
    series.length === 0 ? [] : [{ id, title, series, scale: paneScale }]
  const each = (make: (one: ChartedPortfolio, colour: number) => ChartSeries) => portfolios.map(make)
  const window = portfolios.at(0)?.whole.rolling.window ?? 0
  const withBeta = portfolios.flatMap((one, colour) => {
    const { benchmark: against } = one.whole
    return against
      ? [daily(`beta ${one.id}`, one.label, against.days, against.rollingBeta, { kind: 'ratio', colour })]
      : []
  })
  const start = portfolios.at(0)?.inView.days.at(0)
  const rolled = (id: string, title: string, series: ChartSeries[]) =>
    pane(id, title, series.some(({ valid }) => !valid || valid.includes(1)) ? series : [])
  return {
    ...emptyModel('Returns'),
    range,
    panes: [
      ...pane(
        'equity',
        'Equity, 1 at the start of the view',
        [
          ...each((one, colour) =>
            daily(`equity ${one.id}`, one.label, one.whole.days, rebased(one), { kind: 'ratio', colour }),
          ),
          ...(benchmark && start !== undefined
            ? [benchmarkSeries(benchmark, start, spanOf(portfolios), portfolios.length)]
            : []),
        ],
        scale,
      ),
      ...pane(
        'underwater',
        'Underwater',
        each(({ id, label, inView: { days, drawdowns } }, colour) =>
          daily(`underwater ${id}`, label, days, drawdowns, { kind: 'share', colour, style: 'area' }),
        ),
      ),
      ...rolled(
        'sharpe',
        `Sharpe over ${window} days`,
        each(({ id, label, whole: { days, rolling } }, colour) =>
          daily(`sharpe ${id}`, label, days, rolling.sharpe, { kind: 'ratio', colour }),
        ),
      ),
      ...rolled(
        'volatility',
        `Volatility over ${window} days`,
        each(({ id, label, whole: { days, rolling } }, colour) =>
          daily(`volatility ${id}`, label, days, rolling.volatility, { kind: 'share', colour }),
        ),
      ),
      ...rolled('beta', `Beta over ${window} days`, withBeta),
    ],
  }
}

/** Finds the first and the last day of all portfolios. */
function spanOf(portfolios: readonly ChartedPortfolio[]): [number, number] {
  const all = portfolios.flatMap(({ whole: { days } }) => [days.at(0) ?? Infinity, days.at(-1) ?? -Infinity])
  return [Math.min(...all), Math.max(...all)]
}

function rowsOfSeries({ days, values, valid }: DailySeries, isKept: (row: number) => boolean): DailySeries {
  const rows = rowsWhere(days.length, isKept)
  return {
    days: rows.map((row) => days[row]),
    values: takeRows(values, rows),
    valid: valid && Uint8Array.from(rows, (row) => valid[row]),
  }
}

/** The equity of all days, so that it is 1 before the first day in view. */
function rebased({ whole, inView }: ChartedPortfolio): Pick<NumberColumn, 'values' | 'valid'> {
  const { values, valid } = whole.equity
  const first = inView.days.at(0)
  const row = first === undefined ? 0 : whole.days.indexOf(first)
  const base = row > 0 ? values[row - 1] : 1
  return base === 1 ? { values, valid } : { values: values.map((value) => value / base), valid }
}

/**
 * A price as if 1 had been put into it at the close of the day before the view, or of its first day after that. Only on
 * the days of `span`: a benchmark is often much older than what it is held against.
 */
function benchmarkSeries(
  { label, prices }: { label: string; prices: DailySeries },
  startDay: number,
  span: readonly [number, number],
  colour: number,
) {
  const isThere = (row: number) => (!prices.valid || prices.valid[row] === 1) && prices.values[row] > 0
  const rows = [...prices.days.keys()].filter(isThere)
  const base = rows.findLast((row) => prices.days[row] < startDay) ?? rows.at(0)
  const { days, values, valid } = rowsOfSeries(
    prices,
    (row) => prices.days[row] >= span[0] && prices.days[row] <= span[1],
  )
  const scaled = base === undefined ? values : values.map((price) => price / prices.values[base])
  return daily('benchmark', label, days, { values: scaled, valid }, { kind: 'ratio', colour })
}
