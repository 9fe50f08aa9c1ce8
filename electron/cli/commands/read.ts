import { failureText, noteText, usageText } from '../text/messages.ts'
import { readCommandText as text } from '../text/commands.ts'
import { modelledTimeNote } from '#shared/catalog/modelledTimes.ts'
import type { SeriesRead } from '#shared/contract/areas/series.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import type { Venues } from '#shared/catalog/venues.ts'
import type { Client } from '#shared/contract/client.ts'
import { textColumn } from '#shared/contract/frame.ts'
import type { ListedPair } from '#shared/contract/listsFile.ts'
import type { CsvTextMode } from '#shared/units/csvCell.ts'
import {
  columnUnit,
  commonUnit,
  comparedUnitWarnings,
  parseUnit,
  unitText,
  UNIT_UNKNOWN,
} from '#shared/units/measureUnits.ts'
import { ownNameOf } from '#shared/formula/ownData.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { soleAction, exit, type CliCommand, type ExitStatus } from '../command.ts'
import { ownDataset, type OwnFacts, ownRows } from '../ownDataset.ts'
import { ownClockOption } from '../seriesOptions.ts'
import { findConnection } from '../connections.ts'
import { Failure } from '../failure.ts'
import { checkIntervalOption, noSuchColumnsMessage, nothingCachedMessage, type SeriesNames } from '../names.ts'
import type { Output } from '../print.ts'
import { createRowWriter, type RowFormat, rowFormats, type RowWriter } from '../rowWriter.ts'
import { chosenPairs, listOption, missingPair, refuseListAndSymbol, topOptions } from '../symbolLists.ts'
import { parseTimeRange } from '../timeRange.ts'
import { venuesOf } from '#shared/contract/venuesOf.ts'
import { UsageError } from '../usageError.ts'

const ROWS_PER_CALL = 200_000

const read = soleAction({
  summary: text.run.summary,
  options: {
    dataset: { type: 'text', value: 'D', required: true, description: text.run.options.dataset },
    exchange: { type: 'text', value: 'V', fromConnection: true, description: text.run.options.exchange },
    symbol: { type: 'text', value: 'S[,S]', symbols: 'cached', description: text.run.options.symbol },
    list: listOption,
    ...topOptions,
    interval: { type: 'text', value: 'I', description: text.run.options.interval },
    timestamp: ownClockOption(text.run.options.timestamp),
    columns: { type: 'list', value: 'A[,B]', description: text.run.options.columns },
    start: { type: 'text', value: 'T', required: true, description: text.run.options.start },
    end: { type: 'text', value: 'T', required: true, description: text.run.options.end },
    format: { type: 'text', value: 'F', values: rowFormats, description: text.run.options.format },
    'raw-text': { type: 'flag', description: text.run.options.rawText },
  },
  missing: (options) => [
    ...(isWholeOwn(options) ? [] : missingPair(options)),
    ...(options.timestamp === undefined && ownNameOf(options.dataset ?? '') === null ? ['timestamp'] : []),
  ],
  readsOnly: true,
  async run({ client, connection, options, out, signal }) {
    const { dataset = '', columns = [] } = options
    const isWhole = isWholeOwn(options)
    refuseListAndSymbol(options)
    const { timestamp = 'exchange' } = options
    const range = parseTimeRange(options.start ?? '', options.end ?? '')
    if (out.json && options.format !== undefined && options.format !== 'json')
      throw new UsageError(usageText.formatClash(options.format))
    const format = out.json ? 'json' : (options.format ?? 'table')
    const core = await client()
    const own = await ownDataset(core, dataset)
    const textMode = options['raw-text'] ? ('exact' as const) : ('guarded' as const)
    if (own && isWhole) return await printOwnRows(core, own, { format, text: textMode, columns, range }, out, signal)
    const { id: connectionId } = await findConnection(core, connection)
    const interval = options.interval ?? (own ? (own.interval ?? '1d') : '')
    checkIntervalOption(dataset, interval)
    const kind = interval === '' ? ('raw' as const) : ('metrics' as const)
    const text = textMode
    const pairs = await chosenPairs(core, connectionId, options, out)
    const exchanges = [...new Set(pairs.map(({ exchange }) => exchange))]
    const venues = await venuesOf(core, connectionId)
    const namedPairs = options.list !== undefined || pairs.length > 1 ? pairs : null
    const printer = createSeriesPrinter(out, { format, text, kind, exchanges, venues, namedPairs })
    let emptyPairs = 0
    for (const { exchange, symbol } of pairs) {
      const series = { connectionId, kind, dataset, exchange, symbol, interval, timestamp }
      const problem = await readSeries(core, { ...series, columns, ...range }, printer, signal)
      if (problem === null) continue
      emptyPairs++
      if (pairs.length === 1 || emptyPairs === pairs.length) throw new Failure(problem)
      out.problem(noteText.pairWithoutRows(exchange, symbol, problem))
    }
    return printer.end() && emptyPairs === 0 ? exit.done : exit.partial
  },
})

/** Tells whether all symbols of an own dataset are asked for. */
const isWholeOwn = ({ dataset, list, symbol }: { dataset: string; list?: string; symbol?: string }): boolean =>
  ownNameOf(dataset ?? '') !== null && list === undefined && symbol === undefined

interface OwnRowsQuery {
  format: RowFormat
  text: CsvTextMode
  columns: string[]
  range: TimeRange
}

/** Prints the rows of an own dataset, of all its symbols, at their labels. */
async function printOwnRows(
  core: Client,
  own: OwnFacts,
  { format, text, columns, range }: OwnRowsQuery,
  out: Output,
  signal: AbortSignal,
): Promise<ExitStatus> {
  let writer: RowWriter | null = null
  let count = 0
  for await (const rows of ownRows(core, { name: own.name, columns, ...range }, signal)) {
    const names = rows.columns.slice(1).map(({ name }) => name)
    writer ??= createRowWriter({ format, text, names, isEvents: own.kind === 'events' }, out)
    writer.write(rows)
    count += rows.rows
  }
  writer?.end()
  const units = Object.fromEntries(own.columns.map(({ name, unit }) => [name, unit ?? UNIT_UNKNOWN]))
  if (format === 'table') printUnits(out, units)
  if (out.json) out.note(JSON.stringify({ rows: count, duplicates: 0, units, unitWarnings: [], modelledTimes: [] }))
  return exit.done
}

type SeriesQuery = Omit<CallInput<'series.read'>, 'limitRows'> & {
  connectionId: string
  dataset: string
  exchange: string
  symbol: string
  interval: string
  timestamp: 'exchange' | 'true'
  columns: string[]
}

/**
 * Prints the rows of one series.
 * @returns null, or the reason why nothing was printed: no files, or a column is absent
 */
async function readSeries(
  core: Client,
  wanted: SeriesQuery,
  printer: ReturnType<typeof createSeriesPrinter>,
  signal: AbortSignal,
): Promise<string | null> {
  const { dataset, exchange, symbol, interval, timestamp, endMs } = wanted
  let columns = printer.columns() ?? wanted.columns
  let isFirst = true
  for (let startMs: number | null = wanted.startMs; startMs !== null; isFirst = false) {
    const query = { ...wanted, columns, startMs, endMs, limitRows: ROWS_PER_CALL }
    const answer: SeriesRead = await core.call('series.read', query, { signal })
    if (isFirst && (answer.files.length === 0 || answer.absentColumns.length > 0))
      return reasonForNoRows(core, query, answer, { dataset, exchange, symbol, interval, timestamp })
    columns = answer.rows.columns.slice(1).map(({ name }) => name)
    printer.write({ dataset, exchange, symbol, timestamp }, answer)
    startMs = answer.nextMs
  }
  return null
}

interface PrinterOptions {
  format: RowFormat
  text: CsvTextMode
  kind: 'metrics' | 'raw'
  /** Venues of all series, which may count amounts in different units. */
  exchanges: readonly string[]
  venues: Venues
  /** Pairs of which every row starts with its venue and symbol, because several may be printed; null for none. */
  namedPairs: readonly ListedPair[] | null
}

/**
 * Creates a printer for the rows of several series, one series after another; at the end it prints facts about all
 * rows.
 */
function createSeriesPrinter(out: Output, { format, text, kind, exchanges, venues, namedPairs }: PrinterOptions) {
  let writer: RowWriter | null = null
  let columns: string[] | null = null
  let description: ColumnDescription | null = null
  let [isWhole, duplicates, count] = [true, 0, 0]

  function beginOutput(series: { dataset: string; timestamp: 'exchange' | 'true' }, names: string[]) {
    columns = names
    description = describe({ kind, exchanges, ...series }, names, venues)
    if (format === 'table') printUnits(out, description.units)
    for (const warning of [...description.unitWarnings, ...description.modelledTimes])
      out.note(noteText.warning(warning))
    const pairNames = namedPairs ? (['exchange', 'symbol'] as const) : []
    const leastWidths = pairNames.map((name) => Math.max(...(namedPairs ?? []).map((pair) => pair[name].length)))
    const columnNames = [...pairNames, ...names]
    return createRowWriter({ format, text, names: columnNames, leastWidths, isEvents: kind === 'raw' }, out)
  }

  return {
    /** Returns the columns that the first series has; null before its first rows are printed. */
    columns: () => columns,
    write(
      { symbol, ...series }: { dataset: string; exchange: string; symbol: string; timestamp: 'exchange' | 'true' },
      { rows, unread, missing, duplicates: repeated }: SeriesRead,
    ) {
      const [time, ...values] = rows.columns
      writer ??= beginOutput(
        series,
        values.map(({ name }) => name),
      )
      const leadingColumns = namedPairs ? pairColumns(series.exchange, symbol, rows.rows) : []
      writer.write({ ...rows, columns: [time, ...leadingColumns, ...values] })
      for (const { message } of unread) out.problem(message)
      for (const gap of missing) out.note(noteText.notCached(isoTime(gap.startMs), isoTime(gap.endMs)))
      count += rows.rows
      isWhole &&= unread.length === 0
      duplicates += repeated
    },
    /** Ends the output; returns false if a file could not be read. */
    end(): boolean {
      writer?.end()
      if (duplicates > 0) out.note(noteText.duplicatesLeftOut(duplicates))
      if (!isWhole) out.note(noteText.refetchUnreadable)
      // With --json, stdout contains only the array of rows, so the facts about all rows go to stderr.
      if (out.json) out.note(JSON.stringify({ rows: count, duplicates, ...description }))
      return isWhole
    },
  }
}

const pairColumns = (exchange: string, symbol: string, rows: number) =>
  Object.entries({ exchange, symbol }).map(([name, value]) =>
    textColumn(
      name,
      Array.from({ length: rows }, () => value),
    ),
  )

/** Facts that hold for the rows of all series. */
interface ColumnDescription {
  /** Units by column. */
  units: Record<string, string>
  unitWarnings: string[]
  modelledTimes: string[]
}

function describe(
  {
    kind,
    dataset,
    exchanges,
    timestamp,
  }: { kind: 'metrics' | 'raw'; dataset: string; exchanges: readonly string[]; timestamp: string },
  columns: readonly string[],
  venues: Venues,
): ColumnDescription {
  const units = columns.flatMap((column) => {
    // Events have columns that measure nothing, such as texts.
    const unknown = kind === 'metrics' ? UNIT_UNKNOWN : []
    const venueUnits = new Set(
      exchanges.flatMap((exchange) => columnUnit(dataset, column, exchange, venues) ?? unknown),
    )
    return [...venueUnits].map((unit) => ({ column, unit }))
  })
  const unitByColumn = [...Map.groupBy(units, ({ column }) => column)].map(
    ([column, all]) => [column, sharedUnit(all.map(({ unit }) => unit))] as const,
  )
  const isRaw = kind === 'raw'
  const hasExchangeTimes = isRaw && columns.includes('exchange_timestamp')
  const modelledTimes = exchanges.flatMap(
    (exchange) =>
      modelledTimeNote({ isRaw, dataset, exchange, timestamp: hasExchangeTimes ? 'exchange' : timestamp }, venues) ??
      [],
  )
  return {
    units: Object.fromEntries(unitByColumn),
    unitWarnings: [
      ...new Set(comparedUnitWarnings(units.map(({ column, unit }) => ({ column: `${dataset}.${column}`, unit })))),
    ],
    modelledTimes: [...new Set(modelledTimes)],
  }
}

/** Combines the units that a column has on its venues: into one unit, or a text that names all of them. */
const sharedUnit = (units: readonly string[]): string =>
  units.length === 1 ? units[0] : (unitText(commonUnit(units.map(parseUnit))) ?? units.join(' or '))

/** Prints units on stderr, because the header has the plain column names of the files. */
function printUnits(out: Output, units: Record<string, string>) {
  const lines = Object.entries(units).flatMap(([column, unit]) =>
    unit === 'none' ? [] : [unit === UNIT_UNKNOWN ? `${column}: ${unit}` : `${column} in ${unit}`],
  )
  if (lines.length > 0) out.note(noteText.units(lines))
}

const isoTime = (timeMs: number) => new Date(timeMs).toISOString()

async function reasonForNoRows(
  core: Client,
  query: CallInput<'series.read'>,
  { files, absentColumns }: SeriesRead,
  names: SeriesNames,
): Promise<string> {
  if (files.length === 0) return nothingCachedMessage(core, query.connectionId ?? '', names)
  const { rows } = await core.call('series.read', { ...query, columns: [], limitRows: 1 })
  const presentColumns = rows.columns.slice(1).map(({ name }) => name)
  return failureText.leaveOutColumns(noSuchColumnsMessage(absentColumns, presentColumns), 'printed')
}

export const command: CliCommand = {
  verb: 'read',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope read --dataset flow --exchange VENUE --symbol perpetual-BTC-USDT:USDT --interval 1m --timestamp exchange --columns volume_delta --start 2026-09-01 --end 2026-09-02 --format csv',
  ],
  actions: [read],
}
