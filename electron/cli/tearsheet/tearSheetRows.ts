import { csvCell } from '#shared/units/csvCell.ts'
import type { FigureValues } from '#shared/portfolio/figures.ts'
import type { TearSheetDocument } from './tearSheetDocument.ts'

type Cell = string | number | null

/** One value a row: which table, which line of it, which column, and the value as it is; empty where there is none. */
type Row = [table: string, line: Cell, column: string, value: Cell]

const figureRows = (table: string, column: string, values: FigureValues): Row[] =>
  Object.entries(values).map(([id, value]) => [table, id, column, value])

const fields = (table: string, line: Cell, values: Record<string, Cell>): Row[] =>
  Object.entries(values).map(([column, value]) => [table, line, column, value])

/** The sheet as CSV: the same head for all its tables. */
export function tearSheetCsv(document: TearSheetDocument): string {
  const { portfolio, start, end, figures, benchmark, rolling, windows, years, drawdowns, extremes } = document
  const rows: Row[] = [
    ...fields('about', portfolio, { start, end, conventions: document.conventions }),
    ...figureRows('figures', 'value', figures),
    ...(benchmark ? figureRows('benchmark', benchmark.ticker, benchmark.figures) : []),
    ...figureRows('rolling', `${rolling.windowDays} days`, rolling.figures),
    ...windows.flatMap(({ id, figures: values }) => figureRows('windows', id, values ?? {})),
    ...years.flatMap(({ year, months, total }): Row[] => [
      ...months.map((value, month): Row => ['months', year, String(month + 1).padStart(2, '0'), value]),
      ['months', year, 'total', total],
    ]),
    ...drawdowns.flatMap((each, at) => fields('drawdowns', at + 1, { ...each })),
    ...Object.entries(extremes).flatMap(([period, { best, worst }]): Row[] => [
      ...best.map((each): Row => [`best ${period}`, each.start, 'return', each.return]),
      ...worst.map((each): Row => [`worst ${period}`, each.start, 'return', each.return]),
    ]),
  ]
  return [['table', 'line', 'column', 'value'], ...rows].map((row) => `${row.map(csvCell).join(',')}\n`).join('')
}
