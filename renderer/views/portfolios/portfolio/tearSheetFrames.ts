import type { Frame } from '#shared/contract/frame.ts'
import { benchmarkFigures } from '#shared/portfolio/benchmark.ts'
import type { PeriodReturn, YearRow } from '#shared/portfolio/calendarReturns.ts'
import type { Episode } from '#shared/portfolio/returnsView.ts'
import { figures, type Figure, type FigureValues } from '#shared/portfolio/figures.ts'
import type { Histogram } from '#shared/portfolio/tearSheet.ts'
import type { ReturnWindow } from '#shared/portfolio/tearSheet.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { figureKind, numberFormat } from '#shared/units/numberKinds.ts'
import { formatPercent } from '#shared/units/numbers.ts'
import type { TableColumn } from '../../../tables/columns.ts'
import { tearSheetText as text } from '../../../text/portfolios.ts'
import { recordFrame } from '../dailyData.ts'

/** All months share one colour scale, so that a colour means the same in each. */
const heat = { scale: 'diverging', low: -0.15, high: 0.15 } as const

const { months, columns: yearText } = text.years
/** Every month has two decimals, because months are compared across a row. */
const percent = (value: number | string) => (typeof value === 'number' ? formatPercent(value, 2) : value)

export const yearColumns: readonly TableColumn[] = [
  { key: 'year', ...yearText.year, kind: 'text', widthPx: 84 },
  ...months.map((title): TableColumn => ({
    key: title,
    title,
    ...yearText.month,
    kind: 'percentFigure',
    widthPx: 68,
    heat,
    format: percent,
  })),
  { key: 'total', ...yearText.total, kind: 'percentFigure', widthPx: 84, format: percent },
]

export const yearFrame = (years: readonly YearRow[]): Frame =>
  recordFrame(years, (column) => [
    column.text('year', ({ year, isYearToDate }) => (isYearToDate ? text.years.toDate(year) : String(year))),
    ...months.map((name, month) => column.number(name, (row) => row.months[month])),
    column.number('total', ({ total }) => total),
  ])

const { columns: drawdownText } = text.drawdowns
export const drawdownColumns: readonly TableColumn[] = [
  { key: 'depth', ...drawdownText.depth, kind: 'percentFigure', widthPx: 84 },
  { key: 'start', ...drawdownText.start, kind: 'time', widthPx: 96 },
  { key: 'trough', ...drawdownText.trough, kind: 'time', widthPx: 96 },
  { key: 'recovery', ...drawdownText.recovery, kind: 'text', widthPx: 112 },
  { key: 'days', ...drawdownText.days, kind: 'count', widthPx: 96 },
]

export const drawdownFrame = (episodes: readonly Episode[]): Frame =>
  recordFrame(episodes, (column) => [
    column.number('depth', ({ depth }) => depth),
    column.day('start', ({ startDay }) => startDay),
    column.day('trough', ({ troughDay }) => troughDay),
    column.text('recovery', ({ recoveryDay }) =>
      recoveryDay === null ? text.drawdowns.open : dayFromNumber(recoveryDay),
    ),
    column.number('days', ({ lengthDays }) => lengthDays),
  ])

const { columns: extremeText } = text.extremes
export const extremeColumns: readonly TableColumn[] = [
  { key: 'rank', ...extremeText.rank, kind: 'count', widthPx: 48 },
  { key: 'bestStart', ...extremeText.bestStart, kind: 'time', widthPx: 116 },
  { key: 'best', ...extremeText.best, kind: 'percentFigure', widthPx: 84 },
  { key: 'worstStart', ...extremeText.worstStart, kind: 'time', widthPx: 124 },
  { key: 'worst', ...extremeText.worst, kind: 'percentFigure', widthPx: 84 },
]

export const extremeFrame = ({ best, worst }: { best: PeriodReturn[]; worst: PeriodReturn[] }): Frame =>
  recordFrame([...best.keys()], (column) => [
    column.number('rank', (at) => at + 1),
    column.day('bestStart', (at) => best[at].startDay),
    column.number('best', (at) => best[at].return),
    column.day('worstStart', (at) => worst[at].startDay),
    column.number('worst', (at) => worst[at].return),
  ])

/** Width of a column whose header holds a name and perhaps a unit. */
const namedWidthPx = (least: number, name: string, unit = '') =>
  Math.max(least, name.length * 7.5 + unit.length * 7 + 40)

const windowFigures = ['totalReturn', 'cagr', 'volatility', 'sharpe', 'sortino', 'maxDrawdown', 'calmar', 'days']
const shownInWindows = windowFigures.flatMap((id) => figures.find((figure) => figure.id === id) ?? [])

export const windowColumns: readonly TableColumn[] = [
  { key: 'window', ...text.windows.columns.window, kind: 'text', widthPx: 108 },
  { key: 'from', ...text.windows.columns.from, kind: 'time', widthPx: 96 },
  ...shownInWindows.map(({ id, name, unit, formula }): TableColumn => ({
    key: id,
    title: name,
    kind: figureKind(unit),
    widthPx: namedWidthPx(112, name),
    hint: formula,
  })),
]

export const windowFrame = (windows: readonly ReturnWindow[]): Frame =>
  recordFrame(windows, (column) => [
    column.text('window', ({ id, name }) => (id === 'all' ? name : id)),
    column.day('from', ({ startDay }) => startDay),
    ...windowFigures.map((figure) => column.number(figure, ({ figures: values }) => values?.[figure] ?? null)),
  ])

/** Adds the definitions of figures that tools define differently to the conventions under a table. */
export const noteWithDefinitions = (conventions: string, withBenchmark: boolean): string =>
  [
    conventions,
    ...[...figures, ...(withBenchmark ? benchmarkFigures : [])]
      .filter(({ differs }) => differs)
      .map(({ name, formula }) => `${name}: ${formula}`),
  ].join('. ')

export interface SideBySide {
  label: string
  figures: FigureValues
  /** Figures of the benchmark; null without one. */
  benchmark: FigureValues | null
}

/** Builds a column per statistic, so that numbers of one kind stand below each other and sort. */
export const sideColumns = (withBenchmark: boolean): readonly TableColumn[] => [
  { key: 'portfolio', ...text.portfolio, kind: 'text', widthPx: 230 },
  ...[...figures, ...(withBenchmark ? benchmarkFigures : [])].map(
    ({ id, name, unit, counted, formula }: Omit<Figure, 'compute'>): TableColumn => ({
      key: id,
      title: name,
      kind: figureKind(unit),
      ...(counted && { unit: counted }),
      widthPx: namedWidthPx(92, name, counted),
      hint: formula,
    }),
  ),
]

export const sideFrame = (sides: readonly SideBySide[]): Frame =>
  recordFrame(sides, (column) => [
    column.text('portfolio', ({ label }) => label),
    ...figures.map(({ id }) => column.number(id, (side) => side.figures[id])),
    ...benchmarkFigures.map(({ id }) => column.number(id, ({ benchmark }) => benchmark?.[id] ?? null)),
  ])

/** Builds the bars of a histogram of returns, their table and their description. */
export function distributionBars(distribution: Histogram | null) {
  const { width, firstBin, counts } = distribution ?? { width: 0.01, firstBin: 0, counts: [] }
  const bins = [...counts].map((count, at) => ({
    from: (firstBin + at) * width,
    to: (firstBin + at + 1) * width,
    count,
  }))
  /** Number of decimals that the width of a bar needs. */
  const decimals = Math.max(0, -Math.floor(Math.log10(width * 100) + 1e-9))
  const { percent: withUnit, note, empty, spoken } = text.distribution
  const share = numberFormat('share')
  const most = bins.reduce((a, b) => (b.count > a.count ? b : a), bins[0])
  return {
    bars: bins.map(({ from, count }) => ({
      label: withUnit(from === 0 ? '0' : formatPercent(from, decimals)),
      value: count,
    })),
    /** Index of the bar that begins at 0. */
    edgeAt: -firstBin,
    note: distribution ? note(formatPercent(width, Math.min(4, decimals))) : '',
    label:
      bins.length === 0
        ? empty
        : spoken(share(bins[0].from), share(bins[bins.length - 1].to), share(most.from), share(most.to)),
    frame: recordFrame(bins, (column) => [
      column.number('from', ({ from }) => from),
      column.number('to', ({ to }) => to),
      column.number('days', ({ count }) => count),
    ]),
  }
}

/** First and last day that several series have, both inclusive; null where all have the same ones, or no common day. */
export function commonDays(all: readonly { days: ArrayLike<number> }[]): { from: string; to: string } | null {
  const ranges = all.flatMap(({ days }) => (days.length === 0 ? [] : [[days[0], days[days.length - 1]] as const]))
  if (ranges.length < 2 || ranges.every(([first, last]) => first === ranges[0][0] && last === ranges[0][1])) return null
  const first = Math.max(...ranges.map(([day]) => day))
  const last = Math.min(...ranges.map(([, day]) => day))
  return first > last ? null : { from: dayFromNumber(first), to: dayFromNumber(last) }
}
