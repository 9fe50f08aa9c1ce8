/** Writes a sheet for a terminal: figures and tables with aligned columns; charts are left to faces that can draw. */
import { alignOf, type TableColumn } from '#shared/sheet/columns.ts'
import {
  columnTitle,
  figureText,
  figureTitle,
  type ReadColumn,
  heatTable,
  type Section,
  type Sheet,
  type SheetTable,
  table,
  cellWriters,
} from '#shared/sheet/sheet.ts'
import { plainAscii, terminalCell } from '#shared/units/terminalText.ts'
import { alignedTable, tableLines } from './print.ts'

const NOTHING = '–'

/** Aligns a table whose columns from `first` to `last` contain numbers. */
export const numberLines = (rows: readonly string[][], first: number, last = Infinity): string[] =>
  tableLines(rows, (column) => column >= first && column <= last)

/** Writes records as a table with these columns, or the sentence if there are none. */
export const recordLines = <Row>(columns: readonly ReadColumn<Row>[], records: readonly Row[], empty = ''): string[] =>
  sectionLines(table({ id: 'records', title: '', empty }, columns, records))

/** Writes all sections below the title, with an empty line between them. */
export const sheetLines = ({ title, subtitle, verdict, sections }: Sheet): string[] => [
  subtitle === '' ? title : `${title}: ${subtitle}`,
  ...(verdict ? [plainBlanks(verdict)] : []),
  ...sections.flatMap((section) => {
    const lines = sectionLines(section)
    return lines.length > 0 ? ['', section.title, ...lines] : []
  }),
]

/** Writes a section without its title and without what only explains its rows. */
export function briefLines(section: Section): string[] {
  if (section.kind === 'table') {
    const columns = section.columns.filter(({ explains }) => !explains)
    return sectionLines({ ...section, columns })
  }
  if (section.kind !== 'figures') return sectionLines(section)
  return numberLines(
    section.figures.map((figure) => [figureTitle(figure), figureText(figure) ?? NOTHING, figure.note ?? '']),
    1,
    1,
  )
}

/** Writes a section without its title; nothing for a chart. */
export function sectionLines(section: Section): string[] {
  switch (section.kind) {
    case 'figures':
      return numberLines(
        [
          ['FIGURE', 'VALUE', 'DEFINITION'],
          ...section.figures.map((figure) => [figureTitle(figure), figureText(figure) ?? NOTHING, figure.formula]),
        ],
        1,
        1,
      )
    case 'table':
      return [...sheetTableLines(section)]
    case 'heat':
      return sectionLines(heatTable(section))
    case 'text':
      return [...section.lines]
    case 'chart':
      return []
  }
}

/** Writes a table without its title, line by line: the texts of a long one would take several times the memory of its numbers. */
export function* sheetTableLines(section: SheetTable): Generator<string> {
  const { columns, frame, empty = '' } = section
  if (frame.rows === 0) {
    if (empty !== '') yield empty
    return
  }
  const writers = cellWriters(section)
  const textOf = (row: number, column: number) => plainBlanks(writers[column](row).text ?? NOTHING)
  const header = columns.map((column, at) => terminalCell(`${headerOf(column)}${zoneOf(column, textOf(0, at))}`))
  const cell = (row: number, column: number) => (row === 0 ? header[column] : terminalCell(textOf(row - 1, column)))
  yield* alignedTable(
    { rows: frame.rows + 1, columns: columns.length, cell },
    (column) => alignOf(columns[column]) === 'right',
  )
}

/** Replaces the blanks that never break a line or are narrow, because a search in a terminal types ordinary ones. */
export const plainBlanks = (text: string): string =>
  plainAscii.test(text) ? text : text.replace(/[\u00a0\u202f]/g, ' ')

const headerOf = (column: TableColumn): string =>
  column.isName ? columnTitle(column) : column.title.toUpperCase() + columnTitle(column).slice(column.title.length)

/** Times are in UTC, which a day need not say. */
const zoneOf = ({ kind }: TableColumn, cell: string): string =>
  kind === 'time' && cell.length > '2026-01-01'.length ? ' (UTC)' : ''
