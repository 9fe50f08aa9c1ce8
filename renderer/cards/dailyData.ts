/** Builds tables and chart series from daily values. */
import type { TableColumn } from '#shared/sheet/columns.ts'
import {
  type Column,
  type Frame,
  numberColumn,
  type NumberColumn,
  textColumn,
  timeColumn,
} from '#shared/contract/frame.ts'
import {
  type DailySeries,
  type FillableColumn,
  missingColumn,
  rowsWhere,
  type DailyMatrix,
  tickerSeries,
} from '#shared/portfolio/dailySeries.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import { type NumberKind, unitLabel } from '#shared/units/numberKinds.ts'
import { type ChartModel, type ChartSeries, emptyModel, type Pane } from '../charts/model.ts'
import { portfoliosText } from '../text/portfolios.ts'

/** Column builders for one type of record. */
interface FrameColumnBuilders<Row> {
  text: (name: string, read: (row: Row) => string) => Column
  number: (name: string, read: (row: Row) => number | null) => NumberColumn
  /** Builds a time column; each value is the start of a UTC day. */
  day: (name: string, read: (row: Row) => DayNumber | null) => Column
}

/** Builds a frame with one row per record. */
export function recordFrame<Row>(
  rows: readonly Row[],
  columns: (builders: FrameColumnBuilders<Row>) => Column[],
): Frame {
  const startOf = (day: DayNumber | null) => (day === null ? null : day * MS_PER_DAY)
  return {
    rows: rows.length,
    columns: columns({
      text: (name, read) => textColumn(name, rows.map(read)),
      number: (name, read) => numberColumn(name, rows.map(read)),
      day: (name, read) =>
        timeColumn(
          name,
          rows.map((row) => startOf(read(row))),
        ),
    }),
  }
}

/** A table column with a function that reads the value of a cell from a record: text, a number, or a day. */
type RecordColumn<Row> = TableColumn &
  (
    | { text: (row: Row) => string }
    | { number: (row: Row) => number | null | undefined }
    | { day: (row: Row) => DayNumber | null }
  )

/** Titles, units and hints of columns by key. */
type ColumnTexts = Readonly<Record<string, Pick<TableColumn, 'title' | 'unit' | 'hint'>>>
type ColumnOptions = Pick<TableColumn, 'format' | 'heat' | 'look' | 'tone'>

/** Column builders for one table; `texts` has the titles by column key. */
const tableColumnBuilders = <Row>(texts: ColumnTexts) => ({
  text: (key: string, widthPx: number, text: (row: Row) => string, options?: ColumnOptions): RecordColumn<Row> => ({
    key,
    ...texts[key],
    kind: 'text',
    widthPx,
    text,
    ...options,
  }),
  day: (key: string, widthPx: number, day: (row: Row) => DayNumber | null): RecordColumn<Row> => ({
    key,
    ...texts[key],
    kind: 'time',
    widthPx,
    day,
  }),
  number: (
    key: string,
    kind: NumberKind,
    widthPx: number,
    number: (row: Row) => number | null,
    options?: ColumnOptions,
  ): RecordColumn<Row> => ({ key, ...texts[key], kind, widthPx, number, ...options }),
})

/**
 * Defines a table of records by its columns and by what each column reads from a record.
 * @param texts titles of the columns by key
 * @returns a function that builds the table for records
 */
export function recordTableBuilder<Row>(
  texts: ColumnTexts,
  describe: (column: ReturnType<typeof tableColumnBuilders<Row>>) => readonly RecordColumn<Row>[],
): (rows: readonly Row[]) => { frame: Frame; columns: readonly TableColumn[] } {
  const columns = describe(tableColumnBuilders<Row>(texts))
  return (rows) => ({
    columns,
    frame: recordFrame(rows, (build) =>
      columns.map((column) => {
        if ('text' in column) return build.text(column.key, column.text)
        if ('day' in column) return build.day(column.key, column.day)
        return build.number(column.key, (row) => column.number(row) ?? null)
      }),
    ),
  })
}

/**
 * Builds a table with one row per day, newest first, and one column per ticker.
 * @param rows the matrix rows to show, ascending
 */
export function matrixTable(
  matrix: DailyMatrix,
  tickers: readonly string[] = matrix.tickers,
  rows: Int32Array = rowsWhere(matrix.days.length, () => true),
): Frame {
  const newestFirst = rows.toReversed()
  return {
    rows: newestFirst.length,
    columns: [
      timeColumn(
        'time',
        Array.from(newestFirst, (row) => matrix.days[row] * MS_PER_DAY),
      ),
      ...tickers.map((name) => tickerColumn(matrix, name, newestFirst)),
    ],
  }
}

/** Builds a column that is filled when it is first read, because only a few of hundreds of tickers become visible. */
function tickerColumn(matrix: DailyMatrix, name: string, rows: Int32Array): NumberColumn {
  let filled: FillableColumn | null = null
  const column = () => (filled ??= filledColumn(matrix, name, rows))
  return {
    name,
    kind: 'number',
    get values() {
      return column().values
    },
    get valid() {
      return column().valid
    },
  }
}

function filledColumn(matrix: DailyMatrix, name: string, rows: Int32Array): FillableColumn {
  const column = missingColumn(name, rows.length)
  const ticker = matrix.tickers.indexOf(name)
  if (ticker < 0) return column
  for (let at = 0; at < rows.length; at++) {
    const cell = rows[at] * matrix.tickers.length + ticker
    column.values[at] = matrix.values[cell]
    column.valid[at] = matrix.valid[cell]
  }
  return column
}

export const matrixColumns = (
  tickers: readonly string[],
  kind: NumberKind,
  heat?: TableColumn['heat'],
): TableColumn[] => [
  { key: 'time', title: portfoliosText.daysTable.date, kind: 'time', widthPx: 100 },
  ...tickers.map((key): TableColumn => ({
    key,
    title: key,
    kind,
    widthPx: Math.max(104, key.length * 8 + 40),
    ...(heat && { heat }),
  })),
]

const searchTerms = (text: string) =>
  text
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter((term) => term !== '')

/** Finds the tickers that contain one of the typed terms; without terms, all tickers. */
export function matchingTickers(tickers: readonly string[], text: string): readonly string[] {
  const terms = searchTerms(text)
  if (terms.length === 0) return tickers
  return tickers.filter((ticker) => terms.some((term) => ticker.toLowerCase().includes(term)))
}

/** Finds the rows of days that start with one of the terms, such as 2026 or 2026-08; without terms, all rows. */
export function rowsOfDays(days: Int32Array, text: string): Int32Array {
  const terms = searchTerms(text)
  return rowsWhere(days.length, (row) => {
    if (terms.length === 0) return true
    const day = dayFromNumber(days[row])
    return terms.some((term) => day.startsWith(term))
  })
}

interface DailyStyle {
  kind: NumberKind
  /** Id of the series in its chart; by default, the label. */
  id?: string
  unit?: string
  colour?: number
  style?: ChartSeries['style']
}

/** Converts daily values to a chart series; a day without a value is a gap. */
export function dailyChartSeries(
  label: string,
  { days, values, valid }: DailySeries,
  { kind, id = label, unit = unitLabel(kind), colour = 0, style = 'line' }: DailyStyle,
): ChartSeries {
  const times = Float64Array.from(days, (day) => day * MS_PER_DAY)
  const drawnValues = { times, values, valid, stepMs: MS_PER_DAY }
  return { ...drawnValues, id, label, kind, unit, colour, style, axis: 'left', transform: 'none' }
}

/** Builds one chart series per selected ticker of a matrix. */
export const matrixChartSeries = (matrix: DailyMatrix, tickers: readonly string[], style: DailyStyle): ChartSeries[] =>
  tickers.map((ticker, colour) => dailyChartSeries(ticker, tickerSeries(matrix, ticker), { ...style, colour }))

export const dailyPane = (
  id: string,
  title: string,
  series: readonly ChartSeries[],
  scale: Pane['scale'] = 'linear',
): Pane => ({ id, title, series, scale })

/** Builds a chart with a single pane, or with none if no series has a value. */
export function onePane(label: string, series: readonly ChartSeries[], scale: Pane['scale'] = 'linear'): ChartModel {
  const hasValues = series.some(({ valid, values }) => (valid ? valid.includes(1) : values.length > 0))
  return { ...emptyModel(label), panes: hasValues ? [dailyPane('only', '', series, scale)] : [] }
}
