import type { ChartChoice, SqlChartKind } from '#shared/contract/areas/reportQueries.ts'
import type { SqlColumnFacts } from '#shared/contract/areas/sql.ts'
import { cellOf, type Column, columnOf, type Frame } from '#shared/contract/frame.ts'
import { plainCell, type ReportChart, type ReportPart, type ReportSeries } from '#shared/report/reportContent.ts'
import { histogram } from '#shared/statistics/readableBins.ts'
import { SHOWN_RATE } from '#shared/units/numberKinds.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { symbolLabel } from '#shared/workspace/columnLabels.ts'
import { inShownUnits, isFundingRate, namedFrame } from './resultFrame.ts'

/** Maximum number of lines in a chart. */
const MOST_LINES = 8
/** Maximum number of bars in a chart. */
const MOST_BARS = 200
/** Maximum number of rows, and of columns, in a heat map. */
export const MOST_HEAT_LINES = 60
/** Greatest number of bars in a histogram. */
const MOST_BINS = 40

/**
 * Chooses a suitable chart. If there is a time column, the chart is a line over time, or bars if each line would have one
 * value, such as the last of each symbol. Otherwise the axis is the first text column or, without texts, the first number column. If the values of that column repeat, the chart is a heat map,
 * provided that two more columns are left for the second axis and the cells; failing that, two number columns make a
 * scatter plot. In all other cases the chart is bars by name, a line over numbers, or a histogram of a single number
 * column.
 */
export function defaultChoice({ columns, rows }: Frame): ChartChoice {
  const time = columns.find(({ kind }) => kind === 'time')
  const textColumns = columns.filter(({ kind }) => kind === 'text')
  const numberColumns = columns.filter(({ kind }) => kind === 'number')
  const x = time ?? textColumns[0] ?? numberColumns[0]
  const others = numberColumns.filter((column) => column !== x)
  const name = (column: Column | undefined) => column?.name ?? ''
  // A text that is the same in all rows, such as the only venue, cannot tell lines apart.
  const differing = textColumns.filter((column) => !isConstant(column, rows))
  if (x && !time && hasRepeats(x, rows)) {
    const secondColumn = textColumns[1] ?? others[0]
    const value = others.findLast((column) => column !== secondColumn)
    if (secondColumn && value) {
      const [across, by] = x.kind === 'text' ? [secondColumn, x] : [x, secondColumn]
      return { kind: 'heat', x: name(across), y: name(value), split: name(by) }
    }
    if (textColumns.length === 0 && others.length > 0)
      return { kind: 'scatter', x: name(x), y: name(others[0]), split: '' }
  }
  const y = name(others[0] ?? numberColumns[0])
  if (time) {
    const split = splitOf(differing, time, rows)
    const isLine =
      split === '' ||
      rows < 2 ||
      hasRepeats(
        columns.find((column) => column.name === split)!,
        rows,
      )
    return { kind: isLine ? 'line' : 'bar', x: isLine ? name(time) : split, y, split }
  }
  const kind = textColumns.length > 0 ? 'bar' : numberColumns.length > 1 ? 'line' : 'histogram'
  return { kind, x: name(x), y, split: '' }
}

/**
 * Returns the first text column that tells rows of the same time apart. If none does, returns the last one, which may
 * combine the others.
 */
function splitOf(texts: readonly Column[], time: Column, rows: number): string {
  const separating = texts.find((column) => !hasEqualRows(column, time, rows))
  return (separating ?? texts.at(-1))?.name ?? ''
}

/** Number of rows in which equal ones are looked for; comparing all rows of a large result would stop the window. */
const MOST_COMPARED_ROWS = 20_000

/** Returns a value of a row that is equal for equal cells: of a text its code, which is faster to compare. */
function keyAt(column: Column, row: number): number | null {
  if (column.valid && !column.valid[row]) return null
  return column.values[row]
}

/** Tells whether any two of the first rows have both the same text and the same time. */
function hasEqualRows(text: Column, time: Column, rows: number): boolean {
  const timesByText = new Map<number | null, Set<number | null>>()
  for (let row = 0; row < Math.min(rows, MOST_COMPARED_ROWS); row++) {
    const [name, at] = [keyAt(text, row), keyAt(time, row)]
    const times = timesByText.get(name)
    if (times?.has(at)) return true
    if (times) times.add(at)
    else timesByText.set(name, new Set([at]))
  }
  return false
}

const isConstant = (column: Column, rows: number): boolean => {
  for (let row = 1; row < rows; row++) if (keyAt(column, row) !== keyAt(column, 0)) return false
  return true
}

/** Separator in the name and in the cells of a combined column. */
const JOINT = ' · '

/**
 * Adds a text column that combines all text columns with several values, such as venue and symbol, if none of these
 * alone tells rows of the same time apart.
 */
export function withCombinedTexts(frame: Frame): Frame {
  const { columns, rows } = frame
  const time = columns.find(({ kind }) => kind === 'time')
  const texts = columns.filter((column): column is TextColumn => column.kind === 'text' && !isConstant(column, rows))
  if (!time || texts.length < 2 || texts.some((column) => !hasEqualRows(column, time, rows))) return frame
  return { rows, columns: [...columns, combined(texts, rows)] }
}

/** Combines text columns; every combination of texts is put together only once. */
function combined(texts: readonly TextColumn[], rows: number): TextColumn {
  let codes = new Int32Array(rows)
  let firstRows: number[] = []
  for (const { dictionary, values, valid } of texts) {
    const codeByPair = new Map<number, number>()
    const nextCodes = new Int32Array(rows)
    firstRows = []
    for (let row = 0; row < rows; row++) {
      const pair = codes[row] * (dictionary.length + 1) + (valid && !valid[row] ? dictionary.length : values[row])
      let code = codeByPair.get(pair)
      if (code === undefined) {
        code = firstRows.push(row) - 1
        codeByPair.set(pair, code)
      }
      nextCodes[row] = code
    }
    codes = nextCodes
  }
  const name = texts.map((column) => column.name).join(JOINT)
  const dictionary = firstRows.map((row) => texts.map((column) => cellOf(column, row) ?? '–').join(JOINT))
  return { name, kind: 'text', values: codes, dictionary, valid: null }
}

type TextColumn = Extract<Column, { kind: 'text' }>

/** Tells whether a value repeats among the first rows. */
function hasRepeats(column: Column, rows: number): boolean {
  const seen = new Set<number | null>()
  for (let row = 0; row < Math.min(rows, MOST_COMPARED_ROWS); row++) {
    const key = keyAt(column, row)
    if (seen.has(key)) return true
    seen.add(key)
  }
  return false
}

/** Changes the kind of a chart, and the columns that do not fit the new kind. */
export function withKind(choice: ChartChoice, kind: SqlChartKind, { columns }: Frame): ChartChoice {
  const needsNumericX = kind === 'line' || kind === 'scatter'
  const xColumns = columns.filter((column) => !needsNumericX || column.kind !== 'text')
  const otherColumns = xColumns.filter(({ name }) => name !== choice.y)
  const x = xColumns.some(({ name }) => name === choice.x) ? choice.x : ((otherColumns[0] ?? xColumns[0])?.name ?? '')
  if (kind !== 'heat' || choice.split !== '') return { ...choice, kind, x }
  return { ...choice, kind, x, split: otherColumns.find(({ name }) => name !== x)?.name ?? '' }
}

/** A chart of a result, limited to the number of lines or bars that fit. */
interface ResultChart {
  chart: ReportChart
  shownCount: number
  totalCount: number
  /** True if a line has several values at the same place, so that it zigzags between them. */
  hasEqualX: boolean
}

/** Draws the rows of a result; null if the columns do not fit the kind. */
export function resultChart(frame: Frame, choice: ChartChoice, title = ''): ResultChart | null {
  const y = columnOf(frame, choice.y)
  if (y?.kind !== 'number') return null
  const drawn = { kind: 'chart', title, names: null } as const
  if (choice.kind === 'histogram') {
    const series = histogramOf(y)
    const chart = series && { ...drawn, style: 'bars' as const, numberAxis: true as const, xTitle: y.name }
    return chart && { chart: { ...chart, series: [series] }, shownCount: 1, totalCount: 1, hasEqualX: false }
  }
  const x = columnOf(frame, choice.x)
  if (!x) return null
  if (choice.kind === 'bar')
    return {
      chart: { ...drawn, style: 'bars', ...barsOf(frame, x, y), xTitle: x.name },
      ...{ shownCount: Math.min(frame.rows, MOST_BARS), totalCount: frame.rows, hasEqualX: false },
    }
  if (x.kind === 'text') return null
  const { series, groupCount: totalCount } = linesOf(frame, choice, x, y)
  const axis = x.kind === 'number' && { numberAxis: true as const, xTitle: x.name }
  return {
    chart: { ...drawn, style: choice.kind === 'scatter' ? 'points' : 'line', ...axis, series },
    ...{ shownCount: series.length, totalCount },
    hasEqualX: choice.kind === 'line' && series.some((one) => one.x.some((each, at) => each === one.x[at - 1])),
  }
}

type NumericColumn = Extract<Column, { values: Float64Array }>

const valueAt = ({ values, valid }: NumericColumn, row: number): number => (valid && !valid[row] ? NaN : values[row])

function linesOf(
  frame: Frame,
  { kind, split }: ChartChoice,
  x: NumericColumn,
  y: NumericColumn,
): { series: ReportSeries[]; groupCount: number } {
  const splitColumn = columnOf(frame, split)
  const groups = new Map<string, number[]>()
  for (let row = 0; row < frame.rows; row++) {
    if (Number.isNaN(valueAt(x, row))) continue
    const name = splitColumn ? String(cellOf(splitColumn, row) ?? '–') : y.name
    const rows = groups.get(name)
    if (rows) rows.push(row)
    else groups.set(name, [row])
  }
  const series = [...groups].slice(0, MOST_LINES).map(([label, rows]): ReportSeries => {
    // Rows with equal x keep the order of the result.
    const sortedRows = rows.toSorted((a, b) => valueAt(x, a) - valueAt(x, b))
    return {
      ...{ label: shortName(label), numberKind: 'statistic' },
      x: Float64Array.from(sortedRows, (row) => valueAt(x, row)),
      values: Float64Array.from(sortedRows, (row) => finiteOrNaN(valueAt(y, row))),
      ...(kind === 'scatter' && { style: 'points' }),
    }
  })
  return { series, groupCount: groups.size }
}

/** Replaces infinite values, which no axis can show, with NaN. */
const finiteOrNaN = (value: number) => (Number.isFinite(value) ? value : NaN)

/** Shortens the symbols in a name, because names at an axis that do not fit are left out. */
const shortName = (name: string) => name.split(JOINT).map(symbolLabel).join(JOINT)

function barsOf(frame: Frame, x: Column, y: NumericColumn): Pick<ReportChart, 'names' | 'series'> {
  const rows = Math.min(frame.rows, MOST_BARS)
  const series: ReportSeries = {
    ...{ label: y.name, numberKind: 'statistic' },
    x: Float64Array.from({ length: rows }, (_, row) => row),
    values: Float64Array.from({ length: rows }, (_, row) => finiteOrNaN(valueAt(y, row))),
  }
  return { names: Array.from({ length: rows }, (_, row) => shortName(labelOf(x, row))), series: [series] }
}

function labelOf(column: Column, row: number): string {
  const cell = cellOf(column, row)
  if (cell === null) return '–'
  if (column.kind !== 'time') return String(cell)
  return new Date(Number(cell))
    .toISOString()
    .replace(/T00:00:00\.000Z$/, '')
    .replace(/:00\.000Z$/, '')
}

function histogramOf(column: NumericColumn): ReportSeries | null {
  const values = Float64Array.from(column.values, (_, row) => finiteOrNaN(valueAt(column, row)))
  const bins = histogram(values, MOST_BINS)
  if (bins.length === 0) return null
  return {
    ...{ label: 'rows', numberKind: 'count' },
    x: Float64Array.from(bins, ({ from, to }) => (from + to) / 2),
    values: Float64Array.from(bins, ({ count }) => count),
  }
}

/** Heat map, in which each cell is the mean over all rows of the result that belong to its row and its column. */
interface ResultHeat {
  rows: string[]
  columns: string[]
  values: (number | null)[][]
  /** Number of rows that there would be without the limit `MOST_HEAT_LINES`; `totalColumns` likewise. */
  totalRows: number
  totalColumns: number
}

/** Sorts the names of a column of numbers or times by value; those of texts stay in the order of their first rows. */
function sortedNames(column: Column, firstRowByName: ReadonlyMap<string, number>): string[] {
  const names = [...firstRowByName.keys()]
  const rowOf = (name: string) => firstRowByName.get(name)!
  return column.kind === 'text' ? names : names.sort((a, b) => valueAt(column, rowOf(a)) - valueAt(column, rowOf(b)))
}

export function resultHeat(frame: Frame, { x, y, split }: ChartChoice): ResultHeat | null {
  const [across, by, value] = [columnOf(frame, x), columnOf(frame, split), columnOf(frame, y)]
  if (!across || !by || value?.kind !== 'number') return null
  const sums = new Map<string, Map<string, { sum: number; count: number }>>()
  const [firstRowByColumnName, firstRowByRowName] = [new Map<string, number>(), new Map<string, number>()]
  for (let row = 0; row < frame.rows; row++) {
    const number = valueAt(value, row)
    if (!Number.isFinite(number)) continue
    const [columnName, rowName] = [labelOf(across, row), labelOf(by, row)]
    if (!firstRowByColumnName.has(columnName)) firstRowByColumnName.set(columnName, row)
    if (!firstRowByRowName.has(rowName)) firstRowByRowName.set(rowName, row)
    const cells = sums.get(rowName) ?? new Map<string, { sum: number; count: number }>()
    const cell = cells.get(columnName) ?? { sum: 0, count: 0 }
    cells.set(columnName, { sum: cell.sum + number, count: cell.count + 1 })
    sums.set(rowName, cells)
  }
  if (sums.size === 0) return null
  const columns = sortedNames(across, firstRowByColumnName).slice(0, MOST_HEAT_LINES)
  const rows = sortedNames(by, firstRowByRowName).slice(0, MOST_HEAT_LINES)
  const values = rows.map((rowName) =>
    columns.map((columnName) => {
      const cell = sums.get(rowName)?.get(columnName)
      return cell ? cell.sum / cell.count : null
    }),
  )
  return { rows, columns, values, totalRows: sums.size, totalColumns: firstRowByColumnName.size }
}

/** Returns the rows of a result as they are charted: with names of their own, in the units that are shown. */
export const chartedFrame = (frame: Frame, result: { columns: readonly SqlColumnFacts[] }): Frame =>
  withCombinedTexts(namedFrame(inShownUnits(frame, result), result))

/** Names what a chart shows, with the unit of its values, because the axis has no room for a unit. */
export function chartTitle({ kind, x, y, split }: ChartChoice, columns: readonly SqlColumnFacts[]): string {
  const column = columns.find(({ name }) => name === y)
  const unit = column && isFundingRate(column) ? SHOWN_RATE.kind : (column?.unit ?? 'none')
  const value = unit === 'none' ? y : `${y} (${unit})`
  if (kind === 'heat') return `${value} by ${split} and ${x}`
  if (kind === 'histogram') return `Distribution of ${value}`
  return `${value} ${kind === 'bar' ? 'by' : 'over'} ${x}`
}

/** A result drawn in a report as chosen, and what the drawing leaves out. */
interface ChosenChart {
  parts: ReportPart[]
  warnings: string[]
}

/**
 * Draws the first rows of a result as chosen, a heat map as a table; nothing if the result no longer has the columns.
 * @param allRows number of rows of the complete result
 */
export function chosenChart(
  rows: Frame,
  columns: readonly SqlColumnFacts[],
  choice: ChartChoice,
  allRows: number,
): ChosenChart {
  const frame = chartedFrame(rows, { columns })
  const title = chartTitle(choice, columns)
  const drawn = choice.kind === 'heat' ? heatPart(frame, choice, title) : chartPart(frame, choice, title)
  if (!drawn) return { parts: [], warnings: [`The result has no columns for the chart “${title}”.`] }
  const warnings = [
    ...(rows.rows < allRows ? [firstText(rows.rows, allRows, 'rows')] : []),
    ...(drawn.shown < drawn.total ? [firstText(drawn.shown, drawn.total, drawn.of)] : []),
  ].map((text) => `The chart “${title}” shows only the first ${text}.`)
  return { parts: [drawn.part], warnings }
}

const firstText = (shown: number, all: number, what: string) =>
  `${formatNumber(shown, 0)} of ${formatNumber(all, 0)} ${what}`

/** A drawing with how many of its lines, bars, rows or columns it has. */
interface DrawnPart {
  part: ReportPart
  shown: number
  total: number
  of: string
}

function chartPart(frame: Frame, choice: ChartChoice, title: string): DrawnPart | null {
  const drawn = resultChart(frame, choice, title)
  const of = choice.kind === 'bar' ? 'bars' : `values of ${choice.split}`
  return drawn && { part: drawn.chart, shown: drawn.shownCount, total: drawn.totalCount, of }
}

function heatPart(frame: Frame, choice: ChartChoice, title: string): DrawnPart | null {
  const heat = resultHeat(frame, choice)
  if (!heat) return null
  const rows = heat.rows.map((name, at) => [
    name,
    ...heat.values[at].map((value) => (value === null ? null : plainCell(value))),
  ])
  const part: ReportPart = { kind: 'table', title, columns: [choice.split, ...heat.columns], rows }
  const total = Math.max(heat.totalRows, heat.totalColumns)
  return { part, shown: Math.min(total, MOST_HEAT_LINES), total, of: 'rows or columns' }
}
