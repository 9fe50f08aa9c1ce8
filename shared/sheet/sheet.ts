/**
 * A result as data: what it says is described here once, and the window, the terminal, reports and files write it in
 * their own way without knowing what it is about.
 */
import { cellOf, type Column, type Frame, numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'
import { figureKind, type NumberKind, shownFigure } from '#shared/units/numberKinds.ts'
import { GROUP_SPACE } from '#shared/units/numbers.ts'
import { type Cell, type CellKind, formatOf, type TableColumn, unitOf } from './columns.ts'

export interface Sheet {
  title: string
  subtitle: string
  /** One sentence with the answer, made from the figures; faces show it first. */
  verdict?: string
  sections: readonly Section[]
}

export type Section = SheetFigures | SheetTable | SheetChart | SheetHeat | SheetText

interface SectionHead {
  /** Key by which a face attaches what only it has, such as the columns that the user arranged. */
  id: string
  title: string
  note?: string
  /** Sentence that is shown if there is nothing. */
  empty?: string
  /** Place in a set of sections of which a window shows one at a time; faces without choices show all. */
  choice?: SectionChoice
}

interface SectionChoice {
  /** Id and title of the set. */
  group: string
  title: string
  /** What is chosen, and the choice that this section is. */
  label: string
  option: string
}

/** One number with its name and definition. */
export interface SheetFigure {
  id: string
  name: string
  /** What the figure is about, if the name does not say it, such as the benchmark. */
  scope?: string
  value: number | null
  kind: NumberKind
  /** Plural of what a count counts. */
  counted?: string
  /** Unit, if the kind has none. */
  unit?: string
  /** Fact beside the value. */
  note?: string
  formula: string
}

export interface SheetFigures extends SectionHead {
  kind: 'figures'
  figures: readonly SheetFigure[]
}

export interface SheetTable extends SectionHead {
  kind: 'table'
  columns: readonly TableColumn[]
  frame: Frame
}

export interface SheetSeries {
  id: string
  label: string
  kind: NumberKind
  unit?: string
  /** Milliseconds, or indexes on an axis of names. */
  x: Float64Array
  values: Float64Array
  /** One byte per value, 0 if it is missing; null if none is missing. */
  valid: Uint8Array | null
  /** Ends of the interval around each value, NaN where there is none; bars show them as whiskers. */
  interval?: { low: Float64Array; high: Float64Array }
  style?: 'line' | 'step' | 'area' | 'bar' | 'points'
  /** Duration of a step or bar. */
  stepMs?: number
  /** Place in the palette; by default, the place in the chart. */
  colour?: number
}

export interface SheetChart extends SectionHead {
  kind: 'chart'
  style: 'line' | 'bars'
  /** Labels of an axis of names; null for a time axis. */
  names: readonly string[] | null
  series: readonly SheetSeries[]
  isLog?: boolean
  /** Says that not all points are drawn; absent if all are. */
  thinned?: string
  /** Description for people who cannot see the chart. */
  spoken?: string
  /** The numbers as a table, if its columns are not simply the series. */
  data?: Frame
  /** Index of the name that is kept if not all of them fit. */
  keptName?: number
  /** What is chosen of the hours that are the names, which a window draws on the face of a clock. */
  chosenHours?: readonly ('best' | 'worst' | null)[]
}

/** Values by two names, drawn in colours from their sign and size. */
export interface SheetHeat extends SectionHead {
  kind: 'heat'
  rowsTitle: string
  rows: readonly string[]
  columns: readonly string[]
  /** Values row by row, NaN where one is missing. */
  values: Float64Array
  valueKind: NumberKind
}

export interface SheetText extends SectionHead {
  kind: 'text'
  lines: readonly string[]
}

/** A column with the function that reads its cell from a record; the kind says what the cell is. */
export type ReadColumn<Row> = TableColumn & { value: (row: Row) => Cell | undefined }

/** Describes a column: its key, header and kind, how a cell is read, and what else the faces may use. */
export const column = <Row>(
  key: string,
  title: string,
  kind: CellKind,
  value: (row: Row) => Cell | undefined,
  more: Omit<TableColumn, 'key' | 'title' | 'kind'> = {},
): ReadColumn<Row> => ({ key, title, kind, value, ...more })

/** Describes columns of texts that a record has under the same keys, by their headers. */
export const fieldColumns = <Key extends string>(
  titles: Record<Key, string>,
): ReadColumn<Record<Key, string | null>>[] =>
  (Object.keys(titles) as Key[]).map((key) => column(key, titles[key], 'text', (row) => row[key]))

/** Replaces columns by those with the same key, by which a face shows them in its own way. */
export const withColumns = <Row>(
  columns: readonly ReadColumn<Row>[],
  own: readonly ReadColumn<Row>[],
): ReadColumn<Row>[] => columns.map((each) => own.find(({ key }) => key === each.key) ?? each)

/** Builds a table of records from its columns. */
export const table = <Row>(
  head: SectionHead,
  columns: readonly ReadColumn<Row>[],
  rows: readonly Row[],
): SheetTable => ({
  kind: 'table',
  ...head,
  columns,
  frame: { rows: rows.length, columns: columns.map((column) => frameColumn(column, rows)) },
})

function frameColumn<Row>({ key, kind, value }: ReadColumn<Row>, rows: readonly Row[]): Column {
  const cells = rows.map((row) => value(row) ?? null)
  if (kind === 'text') return textColumn(key, cells as (string | null)[])
  return (kind === 'time' ? timeColumn : numberColumn)(key, cells as (number | null)[])
}

/** The numbers of a heat map as a table: a row for each row, a column for each column. */
export function heatTable({ id, title, note, rowsTitle, rows, columns, values, valueKind }: SheetHeat): SheetTable {
  const width = columns.length
  const cells = columns.map((name, at) =>
    column<number>(name, name, valueKind, (row) => values[row * width + at], { isName: true }),
  )
  return table(
    { id, title, ...(note && { note }) },
    [column<number>('row', rowsTitle, 'text', (row) => rows[row]), ...cells],
    rows.map((_, row) => row),
  )
}

/** Finds the section of a kind with an id. */
export function sectionOf<Kind extends Section['kind']>(
  { sections }: Pick<Sheet, 'sections'>,
  kind: Kind,
  id: string,
): Extract<Section, { kind: Kind }> {
  const found = sections.find((section) => section.kind === kind && section.id === id)
  if (!found) throw new Error(`The sheet has no ${kind} “${id}”.`)
  return found as Extract<Section, { kind: Kind }>
}

/** Title of a column with its unit, for faces whose header is one line. */
export function columnTitle(column: TableColumn): string {
  const unit = column.kind === 'time' ? '' : unitOf(column, 'utc')
  return unit === '' ? column.title : `${column.title} (${unit})`
}

/** A cell with its exact value and its text; the text is null if the value is missing. */
interface WrittenCell {
  value: Cell
  text: string | null
}

/** The numbers of a chart over names as a table, each with the ends of its interval. */
export const namedFrame = ({ data, names, series }: SheetChart): Frame =>
  data ?? {
    rows: names?.length ?? 0,
    columns: [
      textColumn('name', (names ?? []).map(plainName)),
      ...series.flatMap(({ label, values, valid, interval }) => [
        { ...numberColumn(label, []), values, valid },
        ...(interval ? [endsColumn(`${label} low`, interval.low), endsColumn(`${label} high`, interval.high)] : []),
      ]),
    ],
  }

const endsColumn = (name: string, values: Float64Array) =>
  numberColumn(
    name,
    Array.from(values, (value) => (Number.isNaN(value) ? null : value)),
  )

/** Writes a name that is a number, such as 10 000, so that other programs read it as one. */
const plainName = (name: string): string => (/^[\d\u202f.]+$/.test(name) ? name.replaceAll(GROUP_SPACE, '') : name)

/** Writes the cells of a table row by row, formatted as in the window. */
export function writtenRows(table: Pick<SheetTable, 'columns' | 'frame'>): WrittenCell[][] {
  const writers = cellWriters(table)
  return Array.from({ length: table.frame.rows }, (_, row) => writers.map((write) => write(row)))
}

/** Returns a function for each column that writes its cell of a row, formatted as in the window. */
export function cellWriters({
  columns,
  frame,
}: Pick<SheetTable, 'columns' | 'frame'>): ((row: number) => WrittenCell)[] {
  const byName = new Map(frame.columns.map((column) => [column.name, column]))
  return columns.map((column) => {
    const data = byName.get(column.key)
    const cellAt = (row: number) => (data ? cellOf(data, row) : null)
    const sample = column.format ? [] : Array.from({ length: frame.rows }, (_, row) => cellAt(row))
    const format = formatOf(column, sample, 'utc')
    const isMissing = (cell: Cell) => cell === null || (typeof cell === 'number' && !Number.isFinite(cell))
    return (row: number): WrittenCell => {
      const value = cellAt(row)
      return { value, text: value === null || isMissing(value) ? null : format(value) }
    }
  })
}

/** Name of a figure with what it is about. */
export const figureTitle = ({ name, scope }: SheetFigure): string => (scope ? `${name}${scope}` : name)

/** Formats a figure as cards do; the text is null if the figure is undefined. */
export const shownFigureOf = ({ kind, value, counted, unit }: SheetFigure) =>
  shownFigure(figureKind(kind), value, unit ?? counted)

/** Text of a figure with its unit; null if it is undefined. */
export function figureText(figure: SheetFigure): string | null {
  const { text, unit } = shownFigureOf(figure)
  return text !== null && unit ? `${text} ${unit}` : text
}
