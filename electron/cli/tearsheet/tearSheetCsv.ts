import type { FigureValues } from '#shared/portfolio/figures.ts'
import { warningText } from '#shared/portfolio/tearSheetDocument.ts'
import { csvCell } from '#shared/units/csvCell.ts'
import type { TearSheetDocument } from '../../../shared/portfolio/tearSheetDocument.ts'

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
