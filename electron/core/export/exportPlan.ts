import type { Venues } from '#shared/catalog/venues.ts'
import { modelledTimeNote, type TimedSeries, withKindColumns } from '#shared/catalog/modelledTimes.ts'
import { isComputedOwner } from '#shared/contract/computedOwner.ts'
import { AppError } from '#shared/contract/errors.ts'
import { columnLabels, distinctLabels } from '#shared/export/columnLabels.ts'
import { checkFormula } from '#shared/formula/evaluateFormula.ts'
import { FormulaError } from '#shared/formula/formulaError.ts'
import type { FormulaUnit } from '#shared/formula/formulaUnit.ts'
import { columnUnit, comparedUnitWarnings, UNIT_UNKNOWN } from '#shared/units/measureUnits.ts'
import type { FrameColumnKind } from '#core/series/readSeries.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { CsvTextMode } from '#shared/units/csvCell.ts'
import { type FormulaRequest, prepareFormulas, unionOf } from '#core/series/evaluate.ts'
import {
  findFiles,
  longIntegersIn,
  type SeriesFiles,
  rowTaskOf,
  type SeriesName,
  timeColumnOf,
} from '#core/series/seriesFiles.ts'
import type { OpenTimeRange } from '#shared/time/ranges.ts'
import type { SeriesDeps } from '#core/series/seriesDeps.ts'
import type { ExportPiece, ExportPlan } from './exportTask.ts'

export interface ExportRequest extends OpenTimeRange {
  format: 'csv' | 'parquet'
  /** Series to export, each with its columns; an empty list of columns means all. */
  series: (SeriesName & { columns: readonly string[] })[]
  formulas: (Pick<FormulaRequest, 'formula' | 'inputs'> & { name: string })[]
  originMs: number | null
  zone: string
  text: CsvTextMode
}

/** An export plan and the files behind it. */
export interface PreparedExport {
  plan: ExportPlan
  /** Files of the series, followed by those of the formulas' inputs. */
  sources: SeriesFiles[]
  /** Source of each column of the file, in order. */
  columns: ExportedColumn[]
  /** Warnings about columns whose units are mixed or differ from those of similar columns. */
  unitWarnings: string[]
  /** Notes on series whose timestamps are modelled. */
  modelledTimes: string[]
}

interface ExportedColumn {
  label: string
  from: string
  /** Unit of the column; null if it is not documented. */
  unit: string | null
  unitWarnings?: string[]
}

export async function prepareExport(
  deps: SeriesDeps,
  request: ExportRequest,
  signal?: AbortSignal,
): Promise<PreparedExport> {
  const { store } = deps
  const { format, zone, text, originMs } = request
  const isEvents = request.series.some(({ series }) => series.kind === 'raw')
  if (isEvents && request.series.length + request.formulas.length > 1)
    throw new AppError(
      'bad-input',
      'Raw events are exported on their own: several may share a time, so nothing can be joined to them.',
    )
  const exportedSeries = request.series.map((name) => ({ ...name, found: findFiles(store, name, request) }))
  const formulas = await Promise.all(
    request.formulas.map(async (each) => {
      const formulaRequest = { ...each, originMs, startMs: request.startMs, endMs: request.endMs }
      const prepared = await prepareFormulas(deps, formulaRequest, [each.formula], signal)
      if ('range' in prepared) return { ...each, prepared }
      throw new AppError(
        'bad-input',
        `${each.name}: ${prepared.problem.message} (character ${prepared.problem.start + 1})`,
      )
    }),
  )
  const range = unionOf(
    [...exportedSeries.map(({ found }) => found.range), ...formulas.map(({ prepared }) => prepared.range)],
    request,
  )
  const seriesColumns = exportedSeries.flatMap((each) =>
    columnsOf(deps, each.found, each.columns).map((column) => ({ ...column, source: each })),
  )
  if (formulas.length === 0 && exportedSeries.every(({ found }) => found.slicesToRead.length === 0))
    throw new AppError('not-here', 'No rows of this series and range are in the cache on this machine.')
  const labels = distinctLabels([
    ...columnLabels(
      seriesColumns.map(({ name, source }) => ({ ...source.series, origin: originOf(source), column: name })),
    ),
    ...formulas.map(({ name }) => name),
  ])
  const plan: ExportPlan = {
    format,
    zone,
    text,
    range,
    isEvents,
    tables: exportedSeries.map((each) => {
      const tableColumns = seriesColumns
        .map((column, index) => ({ ...column, label: labels[index] }))
        .filter((column) => column.source === each)
      return {
        task: {
          ...rowTaskOf(store, each.found),
          columns: tableColumns.map(({ name }) => name),
          longIntegers: tableColumns.flatMap(({ name, isLong }) => (isLong ? [name] : [])),
        },
        columns: tableColumns.map(({ label, kind }) => ({ label, kind })),
      }
    }),
    formulas: formulas.map(({ formula, prepared }, index) => ({
      label: labels[seriesColumns.length + index],
      formula,
      inputs: prepared.columns,
    })),
  }
  const computed = formulas.map(({ formula, inputs }, index) => ({
    label: labels[seriesColumns.length + index],
    from: `${formula} with ${Object.entries(inputs)
      .map(([name, input]) => `${name} = ${seriesLabel(input)} · ${input.column}`)
      .join('; ')}`,
    ...unitOfFormula(formula, plan.formulas[index].inputs),
  }))
  const units = seriesColumns.map(({ name, kind, source: { series } }) => ({
    column: `${series.dataset}.${name}`,
    unit:
      kind === 'number'
        ? (columnUnit(series.dataset, name, series.exchange, store.venues.of(series.connectionId)) ?? UNIT_UNKNOWN)
        : null,
  }))
  const timed = (each: SeriesName, columns: readonly string[]) => ({
    timed: timedSeriesOf(each, columns),
    venues: store.venues.of(each.series.connectionId),
  })
  return {
    plan,
    unitWarnings: [
      ...new Set([
        ...comparedUnitWarnings(units.filter(({ unit }) => unit !== null)),
        ...computed.flatMap(({ unitWarnings }) => unitWarnings),
      ]),
    ],
    modelledTimes: modelledNotes([
      ...exportedSeries.map((each) => timed(each, each.columns)),
      ...formulas.flatMap(({ inputs }) => Object.values(inputs).map((input) => timed(input, []))),
    ]),
    sources: [
      ...exportedSeries.map(({ found }) => found),
      ...formulas.flatMap(({ prepared }) => [
        ...Object.values(prepared.filesInRange),
        ...Object.values(prepared.weightFiles).flat(),
      ]),
    ],
    columns: [
      ...seriesColumns.map(({ name, source }, index) => ({
        label: labels[index],
        from: `${seriesLabel(source)} · ${name}`,
        unit: units[index].unit,
      })),
      ...computed,
    ],
  }
}

/** Finds the unit of a formula; null if the formula cannot be evaluated, which the export itself reports. */
function unitOfFormula(formula: string, inputs: ExportPlan['formulas'][number]['inputs']): FormulaUnit {
  const noRows = { times: new Float64Array(0), values: new Float64Array(0), valid: null }
  const inputEntries = Object.entries(inputs).map(([name, { intervalMs, unit, contractSizes, resample }]) => {
    return [
      name,
      {
        ...noRows,
        intervalMs,
        ...(unit !== undefined && { unit }),
        ...(contractSizes && { contractSizes }),
        ...(resample && { resample }),
      },
    ] as const
  })
  try {
    const { unit, unitWarnings } = checkFormula(formula, new Map(inputEntries))
    return { unit, unitWarnings }
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    return { unit: null, unitWarnings: [] }
  }
}

/**
 * Describes a series for the note on modelled times. Its clock is the exchange clock if a column of exchange times is
 * exported, else the clock of its rows.
 */
function timedSeriesOf({ series, timestamp }: SeriesName, columns: readonly string[]): TimedSeries {
  const { kind, dataset, exchange } = series
  const hasExchangeTimes = kind === 'raw' && (columns.length === 0 || columns.includes('exchange_timestamp'))
  return { isRaw: kind === 'raw', dataset, exchange, timestamp: hasExchangeTimes ? 'exchange' : timestamp }
}

const modelledNotes = (series: readonly { timed: TimedSeries; venues: Venues }[]): string[] => [
  ...new Set(series.flatMap(({ timed, venues }) => modelledTimeNote(timed, venues) ?? [])),
]

const originOf = ({ series }: SeriesName) => (isComputedOwner(series.connectionId) ? 'computed' : 'served')

const seriesLabel = ({ series, timestamp }: SeriesName): string =>
  [
    series.dataset,
    series.exchange,
    series.symbol,
    series.interval,
    `${timestamp} time`,
    isComputedOwner(series.connectionId) ? 'computed here' : '',
  ]
    .filter((part) => part !== '')
    .join(' · ')

function columnsOf(
  { store }: SeriesDeps,
  { series, timestamp, slicesToRead }: SeriesFiles,
  wantedColumns: readonly string[],
): { name: string; kind: FrameColumnKind; isLong: boolean }[] {
  const kindByColumn = new Map<string, FrameColumnKind>()
  const factsOfFiles = slicesToRead.map(({ file }) => store.files.facts(series, file.period))
  for (const { name, type } of factsOfFiles.flatMap((facts) => facts?.columns ?? [])) {
    if (!kindByColumn.has(name))
      kindByColumn.set(name, type.startsWith('timestamp') ? 'time' : type === 'text' ? 'text' : 'number')
  }
  const longIntegers = longIntegersIn(factsOfFiles)
  const time = timeColumnOf({ series, timestamp })
  const names = (
    wantedColumns.length > 0
      ? withKindColumns(wantedColumns, (name) => kindByColumn.has(name))
      : [...kindByColumn.keys()]
  ).filter((name) => name !== 'time' && name !== time)
  const absentColumns = slicesToRead.length > 0 ? names.filter((name) => !kindByColumn.has(name)) : []
  if (absentColumns.length > 0)
    throw new AppError(
      'bad-input',
      `No file of this range has a column ${absentColumns.map((name) => `“${name}”`).join(', ')}.`,
    )
  return names.map((name) => {
    const kind = kindByColumn.get(name) ?? 'number'
    const isLong = kind === 'number' && longIntegers.includes(name)
    return { name, kind: isLong ? 'text' : kind, isLong }
  })
}

/** Number of cells read at a time; a CSV is encoded in smaller pieces. */
const CELLS_READ = 2_000_000
const CELLS_ENCODED = 250_000

/**
 * Splits the range into pieces to encode, each with the larger range to read for it; where possible that range consists
 * of whole files, so that no file is read twice.
 */
export function piecesOf(plan: ExportPlan, rowsPerMs: number): ExportPiece[] {
  const columns = plan.tables.reduce((sum, table) => sum + table.columns.length, plan.formulas.length) + 1
  const msOf = (cells: number) => Math.max(1, Math.floor(cells / columns / Math.max(rowsPerMs, 1e-9)))
  const reads = rangesToRead(plan, msOf(CELLS_READ))
  return reads.flatMap((read) => {
    // In a Parquet file, a row group ends with each piece, so what is read together is not divided into small pieces.
    const count = plan.format === 'csv' ? Math.ceil((read.endMs - read.startMs) / msOf(CELLS_ENCODED)) : 1
    return evenRanges(read, count).map((range) => ({ ...range, read }))
  })
}

function rangesToRead({ tables, range }: ExportPlan, longestMs: number): TimeRange[] {
  const edges = new Set(tables.flatMap(({ task }) => task.slices.flatMap(({ startMs, endMs }) => [startMs, endMs])))
  const innerEdges = [...edges, range.endMs]
    .filter((edge) => edge > range.startMs && edge <= range.endMs)
    .sort((a, b) => a - b)
  const result: TimeRange[] = []
  let { startMs } = range
  for (const [index, edge] of innerEdges.entries()) {
    const nextEdge = innerEdges[index + 1]
    if (nextEdge !== undefined && nextEdge - startMs <= longestMs) continue
    result.push(...evenRanges({ startMs, endMs: edge }, Math.max(1, Math.ceil((edge - startMs) / longestMs))))
    startMs = edge
  }
  return result
}

function evenRanges({ startMs, endMs }: TimeRange, count: number): TimeRange[] {
  const startOfPart = (part: number) => startMs + Math.round(((endMs - startMs) * part) / count)
  const parts = Array.from({ length: count }, (_, part) => ({
    startMs: startOfPart(part),
    endMs: startOfPart(part + 1),
  }))
  return parts.filter((part) => part.endMs > part.startMs)
}
