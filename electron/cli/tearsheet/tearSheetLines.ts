import { figures, type FigureValues } from '#shared/portfolio/figures.ts'
import { csvCell } from '#shared/units/csvCell.ts'
import { figureKind, type NumberKind, shownFigure } from '#shared/units/numberKinds.ts'
import { tableLines } from '../print.ts'
import { tearSheetActionText } from '../text/commands.ts'
import type { TearSheetDocument } from '../../../shared/portfolio/tearSheetDocument.ts'

const NOTHING = '–'
const SHOWN_EXTREMES = 5
const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
/** Figures shown per window in text; JSON and CSV have all of them. */
const windowFigures = ['totalReturn', 'cagr', 'volatility', 'sharpe', 'sortino', 'maxDrawdown', 'calmar']

/** Formats a figure as the window does, with few digits; JSON and CSV have all of them. */
export function shownFigureText(value: number | null | undefined, unit: NumberKind, counted?: string): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NOTHING
  const figure = shownFigure(figureKind(unit), value, counted)
  return figure.unit ? `${figure.text} ${figure.unit}` : (figure.text ?? NOTHING)
}

/** Aligns a table whose columns from `first` to `last` contain numbers. */
export function numberLines(rows: readonly string[][], first: number, last = Infinity): string[] {
  const widths: number[] = []
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)))
  return tableLines(
    rows.map((row) =>
      row.map((cell, column) => (column < first || column > last ? cell : cell.padStart(widths[column]))),
    ),
  )
}

/** Builds the lines of the tear sheet as text. */
export function tearSheetLines(document: TearSheetDocument): string[] {
  const parts = [
    headLines(document),
    figureLines(document),
    windowLines(document),
    yearLines(document),
    drawdownLines(document),
    extremeLines(document),
  ]
  return parts.flatMap((lines, index) => (index > 0 ? ['', ...lines] : lines))
}

/** Writes a warning in one line. */
export const warningText = (warning: TearSheetDocument['warnings'][number]): string =>
  typeof warning === 'string' ? warning : `line ${warning.line}: ${warning.detail}`

function headLines(document: TearSheetDocument): string[] {
  const { portfolio, smoothing, exchange, start, end, conventions } = document
  const smoothingText = smoothing === null ? 'its own smoothing' : `smoothing ${smoothing}`
  const rangeText = start === null ? 'no day with a return' : `${start} to ${end}`
  const name = exchange === null ? portfolio : `${portfolio}, ${smoothingText}, ${exchange}`
  return [`${name}: ${rangeText}`, ...coverageLines(document), conventions]
}

const coverageLines = ({ coverage, costBps }: TearSheetDocument): string[] =>
  coverage === undefined || coverage === null
    ? []
    : [tearSheetActionText.tearsheet.coverage(shownFigureText(coverage, 'share'), costBps ?? 0)]

function figureLines({ figures: values, benchmark, rolling, definitions }: TearSheetDocument): string[] {
  const all: FigureValues = { ...values, ...benchmark?.figures, ...rolling.figures }
  const scopeText = (id: string) =>
    id in rolling.figures
      ? `, w = ${rolling.windowDays}`
      : benchmark && id in benchmark.figures
        ? ` (${benchmark.ticker})`
        : ''
  const isShown = (id: string) => id !== 'rollingBeta' || benchmark !== null
  return numberLines(
    [
      ['FIGURE', 'VALUE', 'DEFINITION'],
      ...definitions
        .filter(({ id }) => isShown(id))
        .map(({ id, name, unit, counted, formula }) => [
          `${name}${scopeText(id)}`,
          shownFigureText(all[id], unit, counted),
          formula,
        ]),
    ],
    1,
    1,
  )
}

function windowLines({ windows }: TearSheetDocument): string[] {
  const columns = figures.filter(({ id }) => windowFigures.includes(id))
  return numberLines(
    [
      ['WINDOW', 'FROM', ...columns.map(({ name }) => name.toUpperCase())],
      ...windows.map(({ id, name, start, figures: values }) => [
        id === 'all' ? name : id,
        start ?? NOTHING,
        ...columns.map((column) => shownFigureText(values?.[column.id], column.unit)),
      ]),
    ],
    2,
  )
}

/** Builds the table of monthly returns with a row per year; months without data are blank, not 0. */
function yearLines({ years }: TearSheetDocument): string[] {
  const cell = (value: number | null) => (value === null ? '' : shownFigureText(value, 'share'))
  return numberLines(
    [
      ['YEAR', ...monthNames, 'TOTAL', ''],
      ...years.map(({ year, months, total, isYearToDate }) => [
        String(year),
        ...months.map(cell),
        cell(total),
        isYearToDate ? 'YTD' : '',
      ]),
    ],
    1,
    13,
  )
}

function drawdownLines({ drawdowns }: TearSheetDocument): string[] {
  return numberLines(
    [
      ['DRAWDOWN', 'FROM', 'TROUGH', 'TO', 'DAYS', 'RECOVERED'],
      ...drawdowns.map(({ depth, start, trough, end, lengthDays, recovery }) => [
        shownFigureText(depth, 'share'),
        start,
        trough,
        end,
        String(lengthDays),
        recovery ?? 'not recovered',
      ]),
    ],
    0,
    0,
  )
}

function extremeLines({ extremes }: TearSheetDocument): string[] {
  return tableLines([
    ['PERIOD', 'BEST', 'FROM', 'WORST', 'FROM'],
    ...Object.entries(extremes).flatMap(([period, { best, worst }]) =>
      best
        .slice(0, SHOWN_EXTREMES)
        .map((high, index) => [
          period,
          shownFigureText(high.return, 'share'),
          high.start,
          shownFigureText(worst[index].return, 'share'),
          worst[index].start,
        ]),
    ),
  ])
}

type Cell = string | number | null

/** A row of the CSV, with a single value: its table, line and column, and the exact value or null. */
type Row = [table: string, line: Cell, column: string, value: Cell]

const figureRows = (table: string, column: string, values: FigureValues): Row[] =>
  Object.entries(values).map(([id, value]) => [table, id, column, value])

const fieldRows = (table: string, line: Cell, values: Record<string, Cell>): Row[] =>
  Object.entries(values).map(([column, value]) => [table, line, column, value])

/** Writes the tear sheet as CSV, with one header for all its tables. */
export function tearSheetCsv(document: TearSheetDocument): string {
  const { portfolio, start, end, figures, benchmark, rolling, windows, years, drawdowns, extremes } = document
  const rows: Row[] = [
    ...fieldRows('about', portfolio, { start, end, conventions: document.conventions }),
    ...document.warnings.map((warning): Row => ['about', portfolio, 'warning', warningText(warning)]),
    ...figureRows('figures', 'value', figures),
    ...(benchmark ? figureRows('benchmark', benchmark.ticker, benchmark.figures) : []),
    ...figureRows('rolling', `${rolling.windowDays} days`, rolling.figures),
    ...windows.flatMap(({ id, figures: values }) => figureRows('windows', id, values ?? {})),
    ...years.flatMap(({ year, months, total }): Row[] => [
      ...months.map((value, month): Row => ['months', year, String(month + 1).padStart(2, '0'), value]),
      ['months', year, 'total', total],
    ]),
    ...document.definitions.map(({ id, formula }): Row => ['definitions', id, 'formula', formula]),
    ...drawdowns.flatMap((each, index) => fieldRows('drawdowns', index + 1, { ...each })),
    ...Object.entries(extremes).flatMap(([period, { best, worst }]): Row[] => [
      ...best.map((each): Row => [`best ${period}`, each.start, 'return', each.return]),
      ...worst.map((each): Row => [`worst ${period}`, each.start, 'return', each.return]),
    ]),
  ]
  return [['table', 'line', 'column', 'value'], ...rows].map((row) => `${row.map(csvCell).join(',')}\n`).join('')
}
