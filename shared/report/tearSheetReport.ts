import { figures } from '#shared/portfolio/figures.ts'
import type { TearSheetDocument } from '#shared/portfolio/tearSheetDocument.ts'
import { parseDay } from '#shared/time.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import {
  definitionVersions,
  plainNumber,
  type ReportCell,
  type ReportChart,
  type ReportContent,
  reportNumber,
  type ReportPart,
  type ReportTable,
} from './reportContent.ts'

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** Figures in the table of windows, the same as in a terminal; `--json` has all of them. */
const windowFigures = ['totalReturn', 'cagr', 'volatility', 'sharpe', 'sortino', 'maxDrawdown', 'calmar']

/** Builds a report of a tear sheet; every number is also in `portfolio tearsheet --json`. */
export function tearSheetReport(
  document: TearSheetDocument,
): Pick<ReportContent, 'title' | 'subtitle' | 'parts' | 'definitions' | 'warnings'> {
  const { portfolio, start, end, smoothing, exchange, conventions, riskFree, coverage, costBps, warnings } = document
  const rangeText = start === null ? 'no day with a return' : `${start} to ${end}`
  const smoothingText = smoothing === null ? 'its own smoothing' : `smoothing ${smoothing}`
  const lines = [
    conventions,
    `Risk-free rate: ${exactNumber(Number((riskFree * 100).toPrecision(12)))} % a year.`,
    ...(coverage === undefined || coverage === null
      ? []
      : [
          `Share of the gross weight that has prices: ${exactNumber(coverage)}; cost of trading: ${costBps ?? 0} basis points.`,
        ]),
  ]
  const parts: ReportPart[] = [
    figureTable(document),
    ...charts(document),
    windowTable(document),
    monthTable(document),
    drawdownTable(document),
    extremeTable(document),
    { kind: 'text', title: 'Conventions', lines },
  ]
  return {
    title: `Tear sheet of ${portfolio}`,
    subtitle: exchange === null ? `${rangeText}` : `${rangeText}; ${smoothingText}; ${exchange}`,
    parts,
    definitions: definitionVersions(document.definitions.map(({ id }) => `tearsheet.${id}`)),
    warnings: warnings.map((each) => (typeof each === 'string' ? each : `line ${each.line}: ${each.detail}`)),
  }
}

function figureTable({ figures: values, benchmark, rolling, definitions }: TearSheetDocument): ReportTable {
  const all: Record<string, number | null | undefined> = { ...values, ...benchmark?.figures, ...rolling.figures }
  const scopeOf = (id: string) =>
    id in rolling.figures
      ? `, last ${rolling.windowDays} days`
      : benchmark && id in benchmark.figures
        ? ` (${benchmark.ticker})`
        : ''
  const rows = definitions
    .filter(({ id }) => id !== 'rollingBeta' || benchmark !== null)
    .map(({ id, name, unit, counted, formula }) => [
      `${name}${scopeOf(id)}`,
      reportNumber(all[id], unit, counted),
      formula,
    ])
  return { kind: 'table', title: 'Figures', columns: ['Figure', 'Value', 'Definition'], rows }
}

function charts({ daily, rolling }: TearSheetDocument): ReportChart[] {
  const x = Float64Array.from(daily.index, (day) => parseDay(day) ?? NaN)
  const chart = (
    title: string,
    label: string,
    numberKind: NumberKind,
    values: readonly (number | null)[],
  ): ReportChart => ({
    kind: 'chart',
    title,
    style: 'line',
    names: null,
    series: [{ label, numberKind, x, values: Float64Array.from(values, (value) => value ?? NaN) }],
  })
  if (x.length === 0) return []
  const windowText = `${rolling.windowDays} days`
  return [
    chart('Equity', 'Growth of 1', 'ratio', daily.equity),
    chart('Drawdown', 'Drawdown', 'share', daily.drawdown),
    chart(`Rolling Sharpe ratio, ${windowText}`, 'Sharpe ratio', 'ratio', daily.rollingSharpe),
    chart(`Rolling volatility, ${windowText}`, 'Volatility, annualised', 'share', daily.rollingVolatility),
  ]
}

/** Builds the table of windows, without the year to date, because a report does not know which year is the running one. */
function windowTable({ windows }: TearSheetDocument): ReportTable {
  const columns = figures.filter(({ id }) => windowFigures.includes(id))
  return {
    kind: 'table',
    title: 'Windows',
    columns: ['Window', 'From', ...columns.map(({ name }) => name)],
    rows: windows
      .filter(({ id }) => id !== 'YTD')
      .map(({ name, start, figures: values }) => [
        name,
        start,
        ...columns.map(({ id, unit }) => reportNumber(values?.[id], unit)),
      ]),
  }
}

/** Names a year by its last day, because a report does not know which year is the running one. */
const yearUntil = (year: number, end: string): string => `${year} until ${end}`

function monthTable({ years, end }: TearSheetDocument): ReportTable {
  return {
    kind: 'table',
    title: 'Returns by month',
    columns: ['Year', ...monthNames, 'Total'],
    rows: years.map(({ year, months, total, isYearToDate }) => [
      isYearToDate && end !== null ? yearUntil(year, end) : String(year),
      ...months.map((value) => (value === null ? '' : reportNumber(value, 'share'))),
      reportNumber(total, 'share'),
    ]),
  }
}

const drawdownTable = ({ drawdowns }: TearSheetDocument): ReportTable => ({
  kind: 'table',
  title: 'Drawdowns',
  columns: ['From', 'Depth', 'Trough', 'To', 'Days', 'Recovered'],
  rows: drawdowns.map(({ start, depth, trough, end, lengthDays, recovery }) => [
    start,
    reportNumber(depth, 'share'),
    trough,
    end,
    plainNumber(lengthDays),
    recovery ?? 'not recovered',
  ]),
})

function extremeTable({ extremes }: TearSheetDocument): ReportTable {
  return {
    kind: 'table',
    title: 'Best and worst',
    columns: ['Period', 'Best', 'From', 'Worst', 'From'],
    rows: Object.entries(extremes).flatMap(([period, { best, worst }]) =>
      best.map((high, at): ReportCell[] => [
        `${period} ${at + 1}`,
        reportNumber(high.return, 'share'),
        high.start,
        reportNumber(worst.at(at)?.return, 'share'),
        worst.at(at)?.start ?? null,
      ]),
    ),
  }
}
