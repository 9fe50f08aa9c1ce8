import { resolve } from 'node:path'
import { timestampSources } from '#shared/catalog/intervals.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import type { Client } from '#shared/contract/client.ts'
import { AppError } from '#shared/contract/errors.ts'
import { action, exit, type Command } from '../command.ts'
import { findConnection } from '../connections.ts'
import { Failure, mendUnread } from '../failure.ts'
import { checkInterval, noSuchColumns, nothingHere } from '../names.ts'
import { tableLines } from '../print.ts'
import { countWords } from '../sizes.ts'
import { checkTargetFile } from '../targets.ts'
import { FIRST_MS, LAST_MS, parseTimeRange } from '../timeRange.ts'
import { UsageError } from '../usageError.ts'

const formats = ['csv', 'parquet', 'hive'] as const

const write = action({
  name: '',
  summary: 'write series or whole datasets to files',
  interrupted: 'nothing was written.',
  options: {
    dataset: { type: 'list', value: 'D[,D]', required: true, description: 'Metric datasets, or one of raw events.' },
    exchange: { type: 'list', value: 'V[,V]', description: 'The venues; hive: all without it.' },
    symbol: { type: 'list', value: 'S[,S]', description: 'The symbols; hive: all without it.' },
    interval: { type: 'list', value: 'I[,I]', description: 'The intervals of metric datasets; raw events have none.' },
    timestamp: { type: 'list', value: 'T', values: timestampSources, description: 'Whose clock: exchange or true.' },
    columns: { type: 'list', value: 'A[,B]', description: 'The columns after time (default: all); not for hive.' },
    start: { type: 'text', value: 'T', description: 'First UTC day, or instant (default: as far as there are files).' },
    end: { type: 'text', value: 'T', description: 'Last UTC day, included; or instant, not included.' },
    format: {
      type: 'text',
      value: 'F',
      required: true,
      values: formats,
      description: 'csv, parquet, or hive: a folder.',
    },
    out: {
      type: 'path',
      value: 'PATH',
      required: true,
      description: 'The file; for hive a folder that is new or empty.',
    },
    zone: { type: 'text', value: 'Z', description: 'Of times in csv, as Europe/Paris (default: UTC).' },
    raw: { type: 'flag', description: 'Hive folder of raw events instead of metrics.' },
  },
  async run({ client, connection, options, out, signal }) {
    if ((options.start === undefined) !== (options.end === undefined))
      throw new UsageError('--start and --end come together; without both, everything that is here is written.')
    const range =
      options.start === undefined || options.end === undefined
        ? { startMs: null, endMs: null }
        : parseTimeRange(options.start, options.end)
    if (options.format !== 'hive') checkTargetFile(resolve(options.out))
    const core = await client(options.out)
    const { id: connectionId } = await findConnection(core, connection)
    const follow = { signal, onProgress: out.progress }
    const names = { ...options, columns: undefined }
    const explain = async (thrown: unknown): Promise<never> => {
      const code = thrown instanceof AppError ? thrown.code : null
      if (code === 'not-here') throw new Failure(await nothingHere(core, connectionId, names))
      const absent = code === 'bad-input' && (await absentColumns(core, connectionId, options, range))
      throw absent ? new Failure(`${absent} Without --columns all are written.`) : thrown
    }
    const exported = await (
      options.format === 'hive'
        ? core.call('series.exportHive', { ...hiveOf(options), ...range, connectionId }, follow)
        : core.call(
            'series.export',
            {
              format: options.format,
              series: seriesOf(options).map((series) => ({ ...series, connectionId, columns: options.columns ?? [] })),
              zone: options.zone ?? 'UTC',
              ...range,
            },
            follow,
          )
    ).catch(explain)
    for (const { message } of exported?.unread ?? []) out.problem(message)
    if (exported && exported.unread.length > 0) out.note(mendUnread)
    out.result(exported, () =>
      exported
        ? tableLines([
            [
              exported.path ?? exported.name,
              ...(options.format === 'hive' ? [] : [countWords(exported.rows, 'row')]),
              countWords(exported.files, 'file'),
            ],
          ])
        : [],
    )
    return exported && exported.unread.length === 0 ? exit.done : exit.partial
  },
})

interface Given {
  dataset: string[]
  exchange: string[] | undefined
  symbol: string[] | undefined
  interval: string[] | undefined
  timestamp: string[] | undefined
  columns: string[] | undefined
  raw: boolean
}

function hiveOf({ dataset, exchange, symbol, interval, timestamp, columns, raw }: Given) {
  if (columns) throw new UsageError('--columns is not for --format hive: its files stay as they are.')
  return {
    kind: raw ? ('raw' as const) : ('metrics' as const),
    datasets: dataset,
    ...(exchange && { exchanges: exchange }),
    ...(symbol && { symbols: symbol }),
    ...(interval && { intervals: interval }),
    ...(timestamp && { timestamps: timestamp }),
  }
}

type Wanted = Omit<CallInput<'series.export'>['series'] extends (infer One)[] | undefined ? One : never, 'connectionId'>

/** Every combination of what was named. */
function seriesOf({ dataset, exchange = [], symbol = [], interval = [''], timestamp = [] }: Given): Wanted[] {
  for (const [name, given] of Object.entries({ exchange, symbol, timestamp }))
    if (given.length === 0) throw new UsageError(`--${name} is needed for csv and parquet.`)
  for (const one of dataset) for (const each of interval) checkInterval(one, each)
  return dataset.flatMap((oneDataset) =>
    exchange.flatMap((oneExchange) =>
      symbol.flatMap((oneSymbol) =>
        interval.flatMap((oneInterval) =>
          timestamp.map((clock) => ({
            kind: oneInterval === '' ? ('raw' as const) : ('metrics' as const),
            dataset: oneDataset,
            exchange: oneExchange,
            symbol: oneSymbol,
            interval: oneInterval,
            timestamp: clock === 'true' ? ('true' as const) : ('exchange' as const),
          })),
        ),
      ),
    ),
  )
}

/** Which of the named columns no file has, in a sentence; null where it is not that. */
async function absentColumns(
  core: Client,
  connectionId: string,
  options: Given,
  { startMs, endMs }: { startMs: number | null; endMs: number | null },
): Promise<string | null> {
  const wanted = options.columns ?? []
  for (const series of wanted.length > 0 ? seriesOf(options) : []) {
    const question = { ...series, connectionId, startMs: startMs ?? FIRST_MS, endMs: endMs ?? LAST_MS, limitRows: 1 }
    const { rows } = await core.call('series.read', question)
    const there = rows.columns.slice(1).map(({ name }) => name)
    const absent = wanted.filter((name) => name !== 'time' && !there.includes(name))
    if (there.length > 0 && absent.length > 0) return noSuchColumns(absent, there)
  }
  return null
}

export const command: Command = {
  verb: 'export',
  summary: 'write series or whole datasets to files',
  description: [
    'csv and parquet: the rows of one series, or of several joined on their times (a row for each time that any of them has). Times keep their milliseconds; in csv they are ISO with the offset of the zone, in parquet timestamps in UTC. Missing values are empty or null. Beside a csv lies PATH.provenance.json, in a parquet file the same stands under the key perpscope.provenance: series, files with sha256, clock, when they were fetched.',
    'hive: the cached files as they are, in partitions that DuckDB, pandas, Polars, Spark and ClickHouse read, with a README and provenance.json.',
    'PATH appears only when it is complete. A file that cannot be read is named and left out; the exit status is then 3.',
  ],
  examples: [
    'perpscope export --dataset flow --exchange venuea-futures --symbol perpetual-BTC-USDT:USDT --interval 1m --timestamp exchange --columns volume_delta --start 2026-09-01 --end 2026-09-02 --format csv --out flow.csv',
    'perpscope export --dataset flow,ohlcv --exchange venuea-futures --interval 1m --format hive --out research',
  ],
  actions: [write],
}
