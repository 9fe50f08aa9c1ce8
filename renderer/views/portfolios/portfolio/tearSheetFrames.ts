import { numberColumn, textColumn, timeColumn, type Frame } from '#shared/contract/frame.ts'
import { benchmarkFigures } from '#shared/portfolio/benchmark.ts'
import type { PeriodReturn, YearRow } from '#shared/portfolio/calendarReturns.ts'
import type { Episode } from '#shared/portfolio/returnsView.ts'
import { figures, type Figure, type FigureValues } from '#shared/portfolio/figures.ts'
import type { ReturnWindow } from '#shared/portfolio/tearSheet.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import type { TableColumn } from '../../../tables/columns.ts'

const frameOf = (rows: number, columns: Frame['columns']): Frame => ({ rows, columns })
const startOf = (day: number | null) => (day === null ? null : day * MS_PER_DAY)

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** The same for all months: a colour means the same in each. */
const heat = { scale: 'diverging', low: -0.15, high: 0.15 } as const
/** Two digits of a per cent: columns of months are read across, so all look alike. */
const percent = (value: number | string) => (typeof value === 'number' ? formatNumber(value * 100, 2) : value)
const compoundedHint = 'Product of (1 + r), minus 1, over the days of the period (UTC) that have a return'

export const yearColumns: readonly TableColumn[] = [
  { key: 'year', title: 'Year', kind: 'text', widthPx: 84 },
  ...monthNames.map((title): TableColumn => ({
    key: title,
    title,
    kind: 'share',
    widthPx: 68,
    hint: compoundedHint,
    heat,
    format: percent,
  })),
  { key: 'total', title: 'Year', kind: 'share', widthPx: 84, hint: compoundedHint, format: percent },
]

export const yearFrame = (years: readonly YearRow[]): Frame =>
  frameOf(years.length, [
    textColumn(
      'year',
      years.map(({ year, isYearToDate }) => (isYearToDate ? `${year} YTD` : String(year))),
    ),
    ...monthNames.map((name, month) =>
      numberColumn(
        name,
        years.map(({ months }) => months[month]),
      ),
    ),
    numberColumn(
      'total',
      years.map(({ total }) => total),
    ),
  ])

export const drawdownColumns: readonly TableColumn[] = [
  {
    key: 'depth',
    title: 'Depth',
    kind: 'share',
    widthPx: 84,
    hint: 'Equity at the trough over the peak before, minus 1',
  },
  { key: 'start', title: 'Start', kind: 'time', widthPx: 96, hint: 'First day below the peak' },
  { key: 'trough', title: 'Trough', kind: 'time', widthPx: 96, hint: 'Day of the depth' },
  { key: 'recovery', title: 'Recovery', kind: 'text', widthPx: 112, hint: 'First day at or above the peak again' },
  {
    key: 'days',
    title: 'Length',
    kind: 'count',
    unit: 'days',
    widthPx: 96,
    hint: 'From the first day below the peak to the last, both counted',
  },
]

export const drawdownFrame = (episodes: readonly Episode[]): Frame =>
  frameOf(episodes.length, [
    numberColumn(
      'depth',
      episodes.map(({ depth }) => depth),
    ),
    timeColumn(
      'start',
      episodes.map(({ startDay }) => startOf(startDay)),
    ),
    timeColumn(
      'trough',
      episodes.map(({ troughDay }) => startOf(troughDay)),
    ),
    textColumn(
      'recovery',
      episodes.map(({ recoveryDay }) => (recoveryDay === null ? 'not recovered' : dayFromNumber(recoveryDay))),
    ),
    numberColumn(
      'days',
      episodes.map(({ lengthDays }) => lengthDays),
    ),
  ])

export const extremeColumns: readonly TableColumn[] = [
  { key: 'rank', title: '#', kind: 'count', widthPx: 48 },
  { key: 'bestStart', title: 'Best from', kind: 'time', widthPx: 116, hint: 'First day of the period' },
  { key: 'best', title: 'Best', kind: 'share', widthPx: 84, hint: compoundedHint },
  { key: 'worstStart', title: 'Worst from', kind: 'time', widthPx: 124, hint: 'First day of the period' },
  { key: 'worst', title: 'Worst', kind: 'share', widthPx: 84, hint: compoundedHint },
]

export function extremeFrame({ best, worst }: { best: PeriodReturn[]; worst: PeriodReturn[] }): Frame {
  const ranks = [...best.keys()]
  return frameOf(ranks.length, [
    numberColumn(
      'rank',
      ranks.map((at) => at + 1),
    ),
    timeColumn(
      'bestStart',
      best.map(({ startDay }) => startOf(startDay)),
    ),
    numberColumn(
      'best',
      best.map((period) => period.return),
    ),
    timeColumn(
      'worstStart',
      worst.map(({ startDay }) => startOf(startDay)),
    ),
    numberColumn(
      'worst',
      worst.map((period) => period.return),
    ),
  ])
}

const windowFigures = ['totalReturn', 'cagr', 'volatility', 'sharpe', 'sortino', 'maxDrawdown', 'calmar', 'days']
const shownInWindows = windowFigures.flatMap((id) => figures.find((figure) => figure.id === id) ?? [])

export const windowColumns: readonly TableColumn[] = [
  {
    key: 'window',
    title: 'Window',
    kind: 'text',
    widthPx: 108,
    hint: 'The last d days: 1M 30, 3M 91, 6M 182, 1Y 365, 3Y 1095, 5Y 1825; YTD since the year’s first day',
  },
  {
    key: 'from',
    title: 'From',
    kind: 'time',
    widthPx: 96,
    hint: 'First day, included; blank where the history is shorter',
  },
  ...shownInWindows.map(({ id, name, unit, formula }): TableColumn => ({
    key: id,
    title: name,
    kind: unit,
    widthPx: Math.max(112, name.length * 7.5 + 40),
    hint: formula,
  })),
]

export const windowFrame = (windows: readonly ReturnWindow[], isWhole: boolean): Frame =>
  frameOf(windows.length, [
    textColumn(
      'window',
      windows.map(({ id }) => (id !== 'all' ? id : isWhole ? 'Since inception' : 'All in view')),
    ),
    timeColumn(
      'from',
      windows.map(({ startDay }) => startOf(startDay)),
    ),
    ...windowFigures.map((figure) =>
      numberColumn(
        figure,
        windows.map(({ figures: values }) => values?.[figure] ?? null),
      ),
    ),
  ])

export interface SideBySide {
  label: string
  figures: FigureValues
  /** Null without a benchmark. */
  benchmark: FigureValues | null
}

type Measured = Omit<Figure, 'compute'>

/** Builds the statistics as columns, so that numbers of one kind stand below each other and sort. */
export const sideColumns = (withBenchmark: boolean): readonly TableColumn[] => [
  { key: 'portfolio', title: 'Portfolio', kind: 'text', widthPx: 230 },
  ...[...figures, ...(withBenchmark ? benchmarkFigures : [])].map(
    ({ id, name, unit, counted, formula }: Measured): TableColumn => ({
      key: id,
      title: name,
      kind: unit,
      ...(counted && { unit: counted }),
      widthPx: Math.max(92, name.length * 7.5 + (counted?.length ?? 0) * 7 + 44),
      hint: formula,
    }),
  ),
]

export const sideFrame = (sides: readonly SideBySide[]): Frame =>
  frameOf(sides.length, [
    textColumn(
      'portfolio',
      sides.map(({ label }) => label),
    ),
    ...figures.map(({ id }) =>
      numberColumn(
        id,
        sides.map((side) => side.figures[id]),
      ),
    ),
    ...benchmarkFigures.map(({ id }) =>
      numberColumn(
        id,
        sides.map(({ benchmark }) => benchmark?.[id] ?? null),
      ),
    ),
  ])
