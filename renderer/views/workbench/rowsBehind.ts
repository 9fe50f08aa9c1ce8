import type { TableColumn } from '#shared/sheet/columns.ts'
import { declaredColumn } from '#shared/catalog/testedDatasets.ts'
import type { Frame } from '#shared/contract/frame.ts'
import { UNIT_UNKNOWN } from '#shared/units/measureUnits.ts'
import { joinOnTime } from '#shared/export/joinOnTime.ts'
import { canBeCandles, candleColumns } from '#shared/workspace/candles.ts'
import { expandEntry, hasFileRows } from '#shared/workspace/expandFormula.ts'
import { parseInterval } from '#shared/time.ts'
import type { SeriesEntry } from '#shared/workspace/workspaceSchema.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { useSeries } from '../../stores/series.ts'
import { workbenchText } from '../../text/workbench.ts'
import { type CatalogFacts, columnFacts } from './chartModel.ts'
import { inputsOf, seriesOf } from './seriesData.ts'

const MOST_ROWS = 500_000
const MOST_JOINED_ROWS = 100_000
const MOST_FORMULA_ROWS = 20_000

/** Rows as a table shows them. */
export interface RowsBehind {
  frame: Frame
  /** Message about what the rows lack; empty if they are complete. */
  message: string
  /** Source of each column of the frame: a column of a dataset, or a formula. */
  columns: ReadonlyMap<string, TableColumnSource>
}

interface TableColumnSource {
  /** Dataset of the column; empty for a formula. */
  dataset: string
  exchange: string
  /** Unit of a formula's values; for mixed units, a text that says so. */
  unit?: string
  /** Notes on a formula's values, such as where a cumulative sum starts. */
  notes?: readonly string[]
  column: string
  /** Time between consecutive source rows; null for events. */
  stepMs: number | null
  /** Prefix of the column's title when several series are side by side. */
  prefix: string
}

interface RowsRequest {
  entries: readonly SeriesEntry[]
  range: TimeRange
  /** Time at which cumulative sums start. */
  originMs: number | null
  signal: AbortSignal
}

type SeriesStore = ReturnType<typeof useSeries>

/** Loads all columns of the files of a series, or the values of its formula. */
export async function rowsOfSeries(series: SeriesStore, entry: SeriesEntry, request: RowsRequest): Promise<RowsBehind> {
  const { source } = entry
  if (source.kind === 'formula') return computedRows(series, entry, request)
  const { frame, message } = await fileRows(series, entry, [], MOST_ROWS, request)
  const columns = frame.columns.map(({ name }) => [name, sourceOf(entry, name)] as const)
  return { frame, message, columns: new Map(columns) }
}

/** Loads the rows that a pane draws, its series side by side, with one row per time. */
export async function rowsOfPane(
  series: SeriesStore,
  shownEntries: readonly SeriesEntry[],
  request: RowsRequest,
): Promise<RowsBehind> {
  const parts = await Promise.all(
    shownEntries.map(async (entry) => {
      const rows = hasFileRows(entry)
        ? { ...(await fileRows(series, entry, drawnColumns(entry), MOST_JOINED_ROWS, request)), columns: noSources }
        : await computedRows(series, entry, request)
      return { entry, ...rows }
    }),
  )
  const columns = new Map<string, TableColumnSource>()
  const frames = parts.map(({ entry, frame, columns: all }) => ({
    ...frame,
    columns: frame.columns.map((column) => {
      if (column.kind === 'time') return column
      const name = `${entry.name}.${column.name}`
      columns.set(name, { ...(all.get(column.name) ?? sourceOf(entry, column.name)), prefix: entry.name })
      return { ...column, name }
    }),
  }))
  const message = parts.flatMap(({ entry, message: text }) => (text ? `${entry.name}: ${text}` : []))
  return { frame: joinOnTime(frames.filter(({ columns: all }) => all.length > 0)), message: message.join(' '), columns }
}

const noSources: RowsBehind['columns'] = new Map()

function sourceOf({ source }: SeriesEntry, column: string): TableColumnSource {
  if (source.kind === 'formula') return { dataset: '', exchange: '', column, stepMs: null, prefix: '' }
  const seconds = parseInterval(source.interval)
  const stepMs = seconds === null ? null : seconds * 1000
  return { dataset: source.dataset, exchange: source.exchange, column, stepMs, prefix: '' }
}

function drawnColumns(entry: SeriesEntry): string[] {
  if (entry.style === 'candles' && canBeCandles(entry)) return [...candleColumns]
  return entry.source.kind === 'column' ? [entry.source.column] : []
}

async function fileRows(
  series: SeriesStore,
  { source }: SeriesEntry,
  columns: string[],
  limitRows: number,
  { range, signal }: RowsRequest,
): Promise<{ frame: Frame; message: string }> {
  if (source.kind !== 'column') throw new Error(workbenchText.data.noColumn)
  const answer = await series.read({ ...seriesOf(source), ...range, columns, limitRows }, signal)
  const message = [
    answer.nextMs === null ? '' : workbenchText.data.cut(answer.rows.rows),
    ...answer.unread.map((each) => workbenchText.data.unread(each.message)),
  ]
  return { frame: answer.rows, message: message.filter(Boolean).join(' ') }
}

async function computedRows(
  series: SeriesStore,
  entry: SeriesEntry,
  { entries, range, originMs, signal }: RowsRequest,
): Promise<RowsBehind> {
  const expanded = expandEntry(entry, entries)
  if ('problem' in expanded) throw new Error(expanded.problem.message)
  const input = { formula: expanded.formula, inputs: inputsOf(expanded.columns), points: MOST_FORMULA_ROWS }
  const answer = await series.evaluate({ ...input, ...range, originMs }, signal)
  if (answer.problem) throw new Error(answer.problem.message)
  const { stepMs } = answer.points
  const { notes } = answer
  const unit = answer.unit ?? UNIT_UNKNOWN
  const formulaSource = { dataset: '', exchange: '', column: 'value', stepMs, prefix: '', unit, notes }
  const columns = new Map([['value', formulaSource]])
  if (answer.points.kind === 'rows') return { frame: answer.points.frame, message: '', columns }
  const message = workbenchText.data.tooMany(answer.rows)
  return { frame: { rows: 0, columns: [] }, message, columns }
}

/** Chooses the colour scale of a column: diverging from its neutral value if it has one, otherwise sequential. */
function heatOf(dataset: string, column: string): TableColumn['heat'] {
  const large = declaredColumn(dataset, column)?.large
  if (large === 'far from 0') return { scale: 'diverging', middle: 0 }
  if (large === 'far from 0.5') return { scale: 'diverging', middle: 0.5 }
  if (large === 'far from 1') return { scale: 'diverging', middle: 1 }
  return { scale: 'sequential' }
}

/** Builds the table columns for a frame of rows. */
export function dataColumns(
  { frame, columns }: Pick<RowsBehind, 'frame' | 'columns'>,
  catalog: CatalogFacts,
  isHeatMap: boolean,
): TableColumn[] {
  return frame.columns.map(({ name, kind }): TableColumn => {
    if (kind === 'time') return { key: name, title: name, kind: 'time', hint: workbenchText.data.startOfInterval }
    const source = columns.get(name) ?? { dataset: '', exchange: '', column: name, stepMs: null, prefix: '' }
    const { dataset, column, prefix } = source
    const notesText = source.notes?.length ? ` (${source.notes.join('; ')})` : ''
    const titleOf = (title: string) => (prefix ? `${prefix} ${title}` : title) + notesText
    if (kind === 'text') return { key: name, title: titleOf(column), kind: 'text' }
    const facts = columnFacts(catalog, source)
    const knownColumn = catalog.datasets.find(({ id }) => id === dataset)?.columns.find((each) => each.name === column)
    const formula = knownColumn?.formula ?? declaredColumn(dataset, column)?.formula
    return {
      key: name,
      title: titleOf(facts.label),
      kind: facts.kind,
      unit: source.unit ?? facts.unit,
      hint: formula ? `${column}: ${formula}` : column,
      ...(isHeatMap && { heat: heatOf(dataset, column) }),
    }
  })
}
