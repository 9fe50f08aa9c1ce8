import { failureText, noteText, usageText } from '../text/messages.ts'
import { readText as text } from '../text/commands.ts'
import { modelledTimeNote } from '#shared/catalog/modelledTimes.ts'
import type { SeriesRead } from '#shared/contract/areas/series.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import type { Client } from '#shared/contract/client.ts'
import { columnUnit, comparedUnitWarnings } from '#shared/units/measureUnits.ts'
import { soleAction, exit, type Command } from '../command.ts'
import { clockOption } from '../seriesOptions.ts'
import { findConnection } from '../connections.ts'
import { Failure } from '../failure.ts'
import { checkInterval, noSuchColumns, nothingHere, type SeriesNames } from '../names.ts'
import type { Output } from '../print.ts'
import { createRowWriter, rowFormats, type RowWriter } from '../rowWriter.ts'
import { parseTimeRange } from '../timeRange.ts'
import { UsageError } from '../usageError.ts'

const ROWS_AT_ONCE = 200_000

const read = soleAction({
  summary: text.run.summary,
  options: {
    dataset: { type: 'text', value: 'D', required: true, description: text.run.options.dataset },
    exchange: { type: 'text', value: 'V', required: true, description: text.run.options.exchange },
    symbol: { type: 'text', value: 'S', required: true, description: text.run.options.symbol },
    interval: { type: 'text', value: 'I', description: text.run.options.interval },
    timestamp: clockOption(text.run.options.timestamp),
    columns: { type: 'list', value: 'A[,B]', description: text.run.options.columns },
    start: { type: 'text', value: 'T', required: true, description: text.run.options.start },
    end: { type: 'text', value: 'T', required: true, description: text.run.options.end },
    format: { type: 'text', value: 'F', values: rowFormats, description: text.run.options.format },
    'raw-text': { type: 'flag', description: text.run.options.rawText },
  },
  async run({ client, connection, options, out, signal }) {
    const { dataset = '', exchange = '', symbol = '', interval = '', timestamp = 'exchange' } = options
    const range = parseTimeRange(options.start ?? '', options.end ?? '')
    if (out.json && options.format !== undefined && options.format !== 'json')
      throw new UsageError(usageText.formatClash(options.format))
    const format = out.json ? 'json' : (options.format ?? 'table')
    const core = await client()
    const { id: connectionId } = await findConnection(core, connection)
    checkInterval(dataset, interval)
    const kind = interval === '' ? ('raw' as const) : ('metrics' as const)
    const series = { connectionId, kind, dataset, exchange, symbol, interval, timestamp }

    let columns = options.columns ?? []
    let writer: RowWriter | null = null
    let isWhole = true
    let duplicates = 0
    let rows = 0
    let description: Description | null = null
    for (let startMs: number | null = range.startMs; startMs !== null;) {
      const query = { ...series, columns, startMs, endMs: range.endMs, limitRows: ROWS_AT_ONCE }
      const answer: SeriesRead = await core.call('series.read', query, { signal })
      if (!writer) {
        if (answer.files.length === 0 || answer.absentColumns.length > 0) {
          const names = { dataset, exchange, symbol, interval, timestamp }
          throw new Failure(await whyNothing(core, query, answer, names))
        }
        columns = answer.rows.columns.slice(1).map(({ name }) => name)
        description = describe({ kind, dataset, exchange, timestamp }, columns)
        if (format === 'table') tellUnits(out, description.units)
        for (const warning of [...description.unitWarnings, ...description.modelledTimes])
          out.note(noteText.warning(warning))
        const csvText = options['raw-text'] ? ('exact' as const) : ('guarded' as const)
        writer = createRowWriter({ format, text: csvText, names: columns, isEvents: kind === 'raw' }, out)
      }
      writer.write(answer.rows)
      rows += answer.rows.rows
      for (const { message } of answer.unread) out.problem(message)
      for (const gap of answer.missing) out.note(noteText.notCached(instant(gap.startMs), instant(gap.endMs)))
      isWhole &&= answer.unread.length === 0
      duplicates += answer.duplicates
      startMs = answer.nextMs
    }
    writer?.end()
    if (duplicates > 0) out.note(noteText.duplicatesLeftOut(duplicates))
    if (!isWhole) out.note(noteText.refetchUnreadable)
    // The document on stdout is an array of rows, so what is said of all of them stands on stderr.
    if (out.json) out.note(JSON.stringify({ rows, duplicates, ...description }))
    return isWhole ? exit.done : exit.partial
  },
})

/** Facts that hold for all rows of a series. */
interface Description {
  /** Units by column, as far as they are documented. */
  units: Record<string, string>
  unitWarnings: string[]
  modelledTimes: string[]
}

function describe(
  {
    kind,
    dataset,
    exchange,
    timestamp,
  }: { kind: 'metrics' | 'raw'; dataset: string; exchange: string; timestamp: string },
  columns: readonly string[],
): Description {
  const units = columns.flatMap((column) => {
    const unit = columnUnit(dataset, column, exchange)
    return unit === null ? [] : [{ column, unit }]
  })
  const isRaw = kind === 'raw'
  const hasExchangeTimes = isRaw && columns.includes('exchange_timestamp')
  const note = modelledTimeNote({ isRaw, dataset, exchange, timestamp: hasExchangeTimes ? 'exchange' : timestamp })
  return {
    units: Object.fromEntries(units.map(({ column, unit }) => [column, unit])),
    unitWarnings: comparedUnitWarnings(units.map(({ column, unit }) => ({ column: `${dataset}.${column}`, unit }))),
    modelledTimes: note === null ? [] : [note],
  }
}

/** Units stand on stderr, because the names in the head are those of the files. */
function tellUnits(out: Output, units: Record<string, string>) {
  const lines = Object.entries(units).flatMap(([column, unit]) => (unit === 'none' ? [] : [`${column} in ${unit}`]))
  if (lines.length > 0) out.note(noteText.units(lines))
}

const instant = (timeMs: number) => new Date(timeMs).toISOString()

async function whyNothing(
  core: Client,
  query: CallInput<'series.read'>,
  { files, absentColumns }: SeriesRead,
  names: SeriesNames,
): Promise<string> {
  if (files.length === 0) return nothingHere(core, query.connectionId ?? '', names)
  const { rows } = await core.call('series.read', { ...query, columns: [], limitRows: 1 })
  const there = rows.columns.slice(1).map(({ name }) => name)
  return failureText.leaveOutColumns(noSuchColumns(absentColumns, there), 'printed')
}

export const command: Command = {
  verb: 'read',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope read --dataset flow --exchange venuea-futures --symbol perpetual-BTC-USDT:USDT --interval 1m --timestamp exchange --columns volume_delta --start 2026-09-01 --end 2026-09-02 --format csv',
  ],
  actions: [read],
}
