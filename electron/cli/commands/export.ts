import type { OpenTimeRange } from '#shared/time/ranges.ts'
import { failureText, noteText, resultText, usageText } from '../text/messages.ts'
import { exportText as text } from '../text/commands.ts'
import { resolve } from 'node:path'
import { timestampSources } from '#shared/catalog/intervals.ts'
import { sendsUnencrypted } from '#shared/contract/areas/connections.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import type { Client } from '#shared/contract/client.ts'
import { AppError } from '#shared/contract/errors.ts'
import { isBucketAddress, isBareAddress, parseStorePlace } from '#shared/contract/sharedStore.ts'
import type { ListedPair } from '#shared/contract/listsFile.ts'
import { soleAction, exit, type CliCommand, type ExitStatus, type Invocation } from '../command.ts'
import { seriesOptions } from '../seriesOptions.ts'
import { findConnection } from '../connections.ts'
import { Failure } from '../failure.ts'
import { checkIntervalOption, noSuchColumnsMessage, nothingCachedMessage } from '../names.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { ownNameOf } from '#shared/formula/ownData.ts'
import { chosenPairs, missingPair, refuseListAndSymbol } from '../symbolLists.ts'
import { ownDataset, type OwnFacts } from '../ownDataset.ts'
import { printResult, readableSqlError } from './sql.ts'
import { checkFormatOfName, checkTargetFile, checkTargetFolder } from '../targets.ts'
import { FIRST_MS, LAST_MS, parseTimeRange } from '../timeRange.ts'
import { UsageError } from '../usageError.ts'

const formats = ['csv', 'parquet', 'hive'] as const

/** A file of rows needs to know which series they are; a copy of the files, or an own dataset, does not. */
function missingForFile(options: {
  dataset: readonly string[] | undefined
  format: (typeof formats)[number] | undefined
  exchange: string[] | undefined
  symbol: string[] | undefined
  list: string | undefined
  timestamp: string[] | undefined
  out: string | undefined
}): string[] {
  const { dataset = [], format, symbol, timestamp } = options
  const isOwn = symbol === undefined && dataset.some((each) => ownNameOf(each) !== null)
  if (format === undefined || format === 'hive' || isOwn || isBucketAddress(options.out ?? '')) return []
  return [...missingPair(options), ...(timestamp === undefined ? ['timestamp'] : [])]
}

const write = soleAction({
  summary: text.run.summary,
  interrupted: ({ out }) => (isBucketAddress(out) ? text.run.interruptedInBucket : text.run.interrupted),
  options: {
    ...seriesOptions(text.run.options),
    dataset: { type: 'list', value: 'D[,D]', required: true, description: text.run.options.dataset },
    timestamp: { type: 'list', value: 'T', values: timestampSources, description: text.run.options.timestamp },
    columns: { type: 'list', value: 'A[,B]', description: text.run.options.columns },
    start: { type: 'text', value: 'T', description: text.run.options.start },
    end: { type: 'text', value: 'T', description: text.run.options.end },
    format: {
      type: 'text',
      value: 'F',
      required: true,
      values: formats,
      description: text.run.options.format,
    },
    out: {
      type: 'path',
      value: 'PATH',
      required: true,
      description: text.run.options.out,
    },
    'store-endpoint': { type: 'text', value: 'URL', description: text.run.options['store-endpoint'] },
    'plain-http': { type: 'flag', description: text.run.options['plain-http'] },
    zone: { type: 'text', value: 'Z', description: text.run.options.zone },
    raw: { type: 'flag', description: text.run.options.raw },
    'raw-text': { type: 'flag', description: text.run.options.rawText },
  },
  readsOnly: true,
  missing: missingForFile,
  async run(invocation) {
    const { client, connection, options, out, signal } = invocation
    refuseListAndSymbol(options)
    if ((options.start === undefined) !== (options.end === undefined)) throw new UsageError(usageText.startAndEnd)
    const range =
      options.start === undefined || options.end === undefined
        ? { startMs: null, endMs: null }
        : parseTimeRange(options.start, options.end)
    const isToStore = isBucketAddress(options.out)
    if (isToStore && options.format !== 'hive') throw new UsageError(usageText.bucketNeedsHive)
    if (!isToStore && options['store-endpoint'] !== undefined) throw new UsageError(usageText.endpointNeedsBucket)
    if (isToStore) return publishCached({ client, connection, options, range, out, signal })
    checkFormatOfName(options.out, options.format)
    if (options.format === 'hive') checkTargetFolder(resolve(options.out))
    else checkTargetFile(resolve(options.out))
    const core = await client(options.out)
    const own = await ownDataset(core, options.dataset[0])
    if (own && options.dataset.length === 1 && options.list === undefined && options.symbol === undefined)
      return await exportOwn({
        ...invocation,
        own,
        format: options.format,
        columns: options.columns,
        path: options.out,
        range,
      })
    const { id: connectionId } = await findConnection(core, connection)
    const selection = { ...options, pairs: await chosenPairs(core, connectionId, options, out) }
    const callOptions = { signal, onProgress: out.progress }
    const names = { ...options, columns: undefined }
    const throwReadable = async (thrown: unknown): Promise<never> => {
      const code = thrown instanceof AppError ? thrown.code : null
      if (code === 'not-here') throw new Failure(await nothingCachedMessage(core, connectionId, names))
      const absentMessage = code === 'bad-input' && (await absentColumnsMessage(core, connectionId, selection, range))
      throw absentMessage ? new Failure(failureText.leaveOutColumns(absentMessage, 'written')) : thrown
    }
    const exported = await (
      options.format === 'hive'
        ? core.call('series.exportHive', { ...hiveQuery(selection), ...range, connectionId }, callOptions)
        : core.call(
            'series.export',
            {
              format: options.format,
              series: seriesOf(selection).map((series) => ({
                ...series,
                connectionId,
                columns: options.columns ?? [],
              })),
              zone: options.zone ?? 'UTC',
              text: options['raw-text'] ? ('exact' as const) : ('guarded' as const),
              ...range,
            },
            callOptions,
          )
    ).catch(throwReadable)
    for (const { message } of exported?.unread ?? []) out.problem(message)
    if (exported && exported.unread.length > 0) out.note(noteText.refetchUnreadable)
    if (exported && exported.duplicates > 0) out.note(noteText.duplicatesLeftOut(exported.duplicates))
    const unread = exported?.unread.map(({ message, ...file }) => ({ ...file, words: message }))
    for (const warning of [...(exported?.unitWarnings ?? []), ...(exported?.modelledTimes ?? [])])
      out.note(noteText.warning(warning))
    out.result(exported && { ...exported, unread }, () =>
      exported
        ? [
            [
              exported.path ?? exported.name,
              ...(options.format === 'hive' ? [] : [plainPlural(exported.rows, 'row')]),
              plainPlural(exported.files, 'file'),
            ].join('  '),
          ]
        : [],
    )
    return exported && exported.unread.length === 0 ? exit.done : exit.partial
  },
})

interface OwnExport extends Pick<Invocation, 'app' | 'dataDir' | 'out' | 'signal'> {
  own: OwnFacts
  format: (typeof formats)[number]
  columns: string[] | undefined
  path: string
  range: OpenTimeRange
}

/** Writes the rows of an own dataset, of all its symbols, at their labels. */
async function exportOwn({
  app,
  dataDir,
  out,
  signal,
  own,
  format,
  columns,
  path,
  range,
}: OwnExport): Promise<ExitStatus> {
  if (format === 'hive') throw new UsageError(text.run.ownIsNoHive)
  const names = own.columns.map(({ name }) => name)
  const absent = (columns ?? []).filter((name) => !names.includes(name))
  if (absent.length > 0) throw new Failure(failureText.leaveOutColumns(noSuchColumnsMessage(absent, names), 'written'))
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
  const selected = [
    'time',
    ...(own.exchange === null ? [] : ['exchange']),
    ...(own.symbol === null ? [] : ['symbol']),
    ...(own.label === null || columns ? [] : [own.label]),
    ...(columns ?? names),
  ].map(quoted)
  const bounds = [
    ...(range.startMs === null ? [] : [`time >= make_timestamp(${range.startMs * 1000})`]),
    ...(range.endMs === null ? [] : [`time < make_timestamp(${range.endMs * 1000})`]),
  ]
  const where = bounds.length === 0 ? '' : ` WHERE ${bounds.join(' AND ')}`
  const sql = `SELECT ${selected.join(', ')} FROM own.${quoted(own.name)}${where} ORDER BY time, exchange, symbol`
  const options = { out: path, limit: undefined }
  try {
    const service = await (await app()).sql()
    return await printResult(
      service,
      { sql, parameters: {}, connectionId: '' },
      {
        out,
        signal,
        dataDir,
        options: { ...options, provenance: 'full' },
        format,
      },
    )
  } catch (thrown) {
    throw readableSqlError(thrown)
  }
}

interface Publication extends Pick<Invocation, 'client' | 'connection' | 'out' | 'signal'> {
  options: Omit<GivenOptions, 'pairs'> & { out: string; 'store-endpoint': string | undefined; 'plain-http': boolean }
  range: OpenTimeRange
}

/**
 * Publishes cached files to a bucket in the layout of a shared store, from which `perpscope fetch` of other users can
 * copy them.
 */
async function publishCached({ client, connection, options, range, out, signal }: Publication): Promise<ExitStatus> {
  const { out: store, 'store-endpoint': storeEndpoint = '', 'plain-http': storePlainHttp } = options
  if (parseStorePlace(store) === null) throw new UsageError(usageText.notBucket(store))
  if (!isBareAddress(storeEndpoint) && storeEndpoint !== '') throw new UsageError(usageText.notEndpoint)
  if (storeEndpoint !== '' && sendsUnencrypted(storeEndpoint) && !storePlainHttp)
    throw new UsageError(usageText.plainHttpStore(storeEndpoint))
  const core = await client()
  const { id: connectionId } = await findConnection(core, connection)
  const selection = { ...options, pairs: await chosenPairs(core, connectionId, options, out) }
  out.note(noteText.publishing(store))
  const target = { store, storeEndpoint, storePlainHttp }
  const published = await core
    .call(
      'series.publishHive',
      { ...hiveQuery(selection), ...range, ...target, connectionId },
      { signal, onProgress: out.progress },
    )
    .catch(async (thrown: unknown) => {
      if (!(thrown instanceof AppError) || thrown.code !== 'not-here') throw thrown
      throw new Failure(await nothingCachedMessage(core, connectionId, selection))
    })
  for (const problem of published.problems) out.problem(problem)
  const { rewritten, there, bytes, problems } = published
  const files = published.published + rewritten + there
  out.result({ name: store, path: store, files, bytes, published: published.published, rewritten, there }, () => [
    [store, plainPlural(files, 'file'), resultText.published(published.published, rewritten, there)].join('  '),
  ])
  return problems.length === 0 ? exit.done : exit.partial
}

interface GivenOptions {
  dataset: string[]
  exchange: string[] | undefined
  symbol: string[] | undefined
  list: string | undefined
  pairs: readonly ListedPair[]
  interval: string[] | undefined
  timestamp: string[] | undefined
  columns: string[] | undefined
  raw: boolean
}

function hiveQuery({ dataset, exchange, symbol, list, interval, timestamp, columns, raw }: GivenOptions) {
  if (columns) throw new UsageError(usageText.columnsNotForHive)
  return {
    kind: raw ? ('raw' as const) : ('metrics' as const),
    datasets: dataset,
    ...(exchange && { exchanges: exchange }),
    ...(symbol && { symbols: symbol }),
    list,
    ...(interval && { intervals: interval }),
    ...(timestamp && { timestamps: timestamp }),
  }
}

type ExportedSeries = Omit<
  CallInput<'series.export'>['series'] extends (infer One)[] | undefined ? One : never,
  'connectionId'
>

/** Lists the series to export: every combination of dataset, venue and symbol, interval and clock. */
function seriesOf({
  dataset,
  exchange,
  symbol,
  list,
  pairs,
  interval = [''],
  timestamp = [],
}: GivenOptions): ExportedSeries[] {
  const requiredOptions =
    list === undefined ? { exchange: exchange ?? [], symbol: symbol ?? [], timestamp } : { timestamp }
  for (const [name, given] of Object.entries(requiredOptions))
    if (given.length === 0) throw new UsageError(usageText.neededForFile(name))
  for (const oneDataset of dataset) for (const oneInterval of interval) checkIntervalOption(oneDataset, oneInterval)
  return dataset.flatMap((oneDataset) =>
    pairs.flatMap((pair) =>
      interval.flatMap((oneInterval) =>
        timestamp.map((clock) => ({
          kind: oneInterval === '' ? ('raw' as const) : ('metrics' as const),
          dataset: oneDataset,
          ...pair,
          interval: oneInterval,
          timestamp: clock === 'true' ? ('true' as const) : ('exchange' as const),
        })),
      ),
    ),
  )
}

/** Returns a message about the first series whose files lack a requested column; null if there is none. */
async function absentColumnsMessage(
  core: Client,
  connectionId: string,
  options: GivenOptions,
  { startMs, endMs }: OpenTimeRange,
): Promise<string | null> {
  const wantedColumns = options.columns ?? []
  for (const series of wantedColumns.length > 0 ? seriesOf(options) : []) {
    const query = { ...series, connectionId, startMs: startMs ?? FIRST_MS, endMs: endMs ?? LAST_MS, limitRows: 1 }
    const { rows } = await core.call('series.read', query)
    const present = rows.columns.slice(1).map(({ name }) => name)
    const absent = wantedColumns.filter((name) => name !== 'time' && !present.includes(name))
    if (present.length > 0 && absent.length > 0) return noSuchColumnsMessage(absent, present)
  }
  return null
}

export const command: CliCommand = {
  verb: 'export',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope export --dataset flow --exchange VENUE --symbol perpetual-BTC-USDT:USDT --interval 1m --timestamp exchange --columns volume_delta --start 2026-09-01 --end 2026-09-02 --format csv --out flow.csv',
    'perpscope export --dataset flow,ohlcv --exchange VENUE --interval 1m --format hive --out research',
    'perpscope export --dataset flow --format hive --out s3://research-data/perpscope --store-endpoint https://storage.example.com',
  ],
  actions: [write],
}
