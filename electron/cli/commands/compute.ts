import { failureText, noteText, progressText } from '../text/messages.ts'
import { computeCommandText as text } from '../text/commands.ts'
import { join, resolve } from 'node:path'
import { metricDatasetIds } from '#shared/catalog/metricDatasets.ts'
import { modelledTimeNote } from '#shared/catalog/modelledTimes.ts'
import { venuesOfDocuments } from '#shared/catalog/venues.ts'
import { venuesOf } from '#shared/contract/venuesOf.ts'
import { noteUnlistedVenues } from '../venues.ts'
import type { Client } from '#shared/contract/client.ts'
import { seriesColumns } from '#shared/sheet/seriesColumns.ts'
import { column, fieldColumns, type ReadColumn } from '#shared/sheet/sheet.ts'
import { AppError } from '#shared/contract/errors.ts'
import { engineDialects } from '#shared/engines/dialects/dialect.ts'
import { resolveLinks } from '#core/resolveLinks.ts'
import { computeMetrics } from '#core/compute/compute.ts'
import { createGuardedComputePool } from '#core/compute/computePool.ts'
import { rawFileFinder } from '#core/compute/rawFiles.ts'
import { soleAction, exit, type CliCommand } from '../command.ts'
import { computeRequestOf } from '../computeRequest.ts'
import { clockOption } from '../seriesOptions.ts'
import { findConnection } from '../connections.ts'
import { Failure } from '../failure.ts'
import { recordLines } from '../sheetLines.ts'
import { missingPair, refuseListAndSymbol, chosenPairs, listOption } from '../symbolLists.ts'
import { usageText } from '../text/messages.ts'
import { checkFolder, checkTargetFolder, checkTargetWithFolders, formatOfName } from '../targets.ts'
import { MissingOptions, UsageError } from '../usageError.ts'
import { computeOnEngine, refuseUncheckedDatasets } from '../engineCompute.ts'
import { printedDialect, printedScript } from '../printedScript.ts'

const compute = soleAction({
  summary: text.run.summary,
  interrupted: ({ engine }) => (engine === 'clickhouse' ? text.run.interruptedOnServer : text.run.interrupted),
  options: {
    dataset: {
      type: 'list',
      value: 'D[,D]',
      required: true,
      values: metricDatasetIds,
      description: text.run.options.dataset,
    },
    exchange: { type: 'text', value: 'V', fromConnection: true, description: text.run.options.exchange },
    symbol: { type: 'text', value: 'S', symbols: 'listed', description: text.run.options.symbol },
    list: listOption,
    interval: {
      type: 'text',
      value: 'I',
      required: true,
      description: text.run.options.interval,
    },
    timestamp: clockOption(text.run.options.timestamp),
    start: { type: 'text', value: 'DATE', required: true, description: text.run.options.start },
    end: { type: 'text', value: 'DATE', required: true, description: text.run.options.end },
    raw: {
      type: 'path',
      value: 'DIR',
      description: text.run.options.raw,
    },
    out: {
      type: 'path',
      value: 'PATH',
      description: text.run.options.out,
    },
    engine: {
      type: 'text',
      value: 'E',
      values: ['local', ...engineDialects],
      description: text.run.options.engine,
    },
    'print-sql': { type: 'flag', description: text.run.options['print-sql'] },
    submit: { type: 'text', value: 'CMD', description: text.run.options.submit },
    parallel: { type: 'integer', value: 'N', min: 1, max: 64, description: text.run.options.parallel },
  },
  missing: missingPair,
  async run({ app, client, connection, options, out, signal, startProcess }) {
    const { list, raw } = options
    refuseListAndSymbol(options)
    const { datasets, ...request } = computeRequestOf(options)
    const dialect = printedDialect(options)
    if (dialect) {
      const cluster = dialect === 'clickhouse' ? await clusterOf(await client(), connection) : ''
      const sql = await printedScript(dialect, { ...options, datasets }, { ...request, cluster }, async () =>
        chosenPairs(await client(), (await findConnection(await client(), connection)).id, options, out),
      )
      out.result({ engine: dialect, datasets, sql }, () => sql.trimEnd().split('\n'))
      return exit.done
    }
    if (options.submit !== undefined) {
      const core = await client()
      const { id: connectionId } = await findConnection(core, connection)
      const pairs = await chosenPairs(core, connectionId, options, out)
      await refuseUncheckedDatasets(core, connectionId, 'spark', datasets)
      const { runSubmittedJob, submittedJob } = await import('../submittedJob.ts')
      const job = submittedJob({ ...options, datasets, submit: options.submit }, request, connectionId, pairs)
      return runSubmittedJob(await app(), job, out, signal)
    }
    if (options.engine === 'clickhouse') {
      const core = await client()
      const { id: connectionId } = await findConnection(core, connection)
      const pairs = await chosenPairs(core, connectionId, options, out)
      const engine = { ...options, datasets, connectionId, pairs, timestamp: request.timestamp }
      return computeOnEngine(core, engine, out, signal)
    }
    const target = options.out
    if (target === undefined) throw new MissingOptions(['out PATH'])
    const isOneFile = datasets.length === 1 && list === undefined
    if (isOneFile && (formatOfName(target) ?? 'parquet') !== 'parquet')
      throw new UsageError(usageText.onlyParquet(target))
    const checkTarget = isOneFile ? checkTargetWithFolders : checkTargetFolder
    checkTarget(resolve(target))
    if (raw) checkFolder('--raw', resolve(raw))
    const isLocal = options.engine !== 'duckdb'
    const needsNoConnection = isLocal && raw && list === undefined
    const connectionId = needsNoConnection ? '' : (await findConnection(await client(), connection)).id
    if (!isLocal) await refuseUncheckedDatasets(await client(), connectionId, 'duckdb', datasets)
    const pairs = await (list === undefined
      ? [{ exchange: options.exchange ?? '', symbol: options.symbol ?? '' }]
      : chosenPairs(await client(), connectionId, options, out))
    // The computation runs in guarded processes, because it may read damaged files: files of a folder were never
    // validated, and cached files may have changed after their validation.
    const pool = createGuardedComputePool({ start: startProcess })
    const results: ComputeResult[] = []
    try {
      for (const { exchange, symbol } of pairs) {
        const findFiles = raw
          ? rawFileFinder(resolve(raw), exchange, symbol)
          : (await app()).cachedRawFileFinder({ connectionId, exchange, symbol })
        const outputs =
          list === undefined
            ? outputsOf(datasets, isOneFile ? resolveLinks(resolve(target)) : resolve(target))
            : outputsOf(datasets, pairPath(resolve(target), exchange, symbol), true)
        const onProgress = ({ doneTasks, tasks }: { doneTasks: number; tasks: number }) =>
          out.progress({ done: doneTasks, total: tasks, message: progressText.computed })
        const pairRequest = { ...request, findFiles, outputs }
        const computing = isLocal
          ? computeMetrics(pairRequest, { signal, pool, onProgress })
          : (await import('#core/engines/duckdbCompute.ts')).computeOnDuckDb(pairRequest, {
              signal,
              pool,
              onProgress,
              start: startProcess,
            })
        if (list === undefined) results.push(await computing)
        else results.push(resultOfPair({ exchange, symbol }, await computing.catch(onlyWithoutEvents)))
      }
      const reason = results.find(({ noEvents }) => noEvents)?.noEvents
      if (reason && results.every(({ outputs }) => outputs.length === 0)) throw reason
    } catch (thrown) {
      if (raw && thrown instanceof AppError && thrown.code === 'not-here')
        throw new Failure(failureText.notInRawFolder(resolve(raw), thrown.detail ?? ''))
      throw thrown
    } finally {
      await pool.close()
    }
    const outputs = results.flatMap((each) => each.outputs)
    const missing = results.flatMap((each) => each.missing)
    const lacksDays = results.some((each) => each.lacksDays)
    for (const message of missing) (lacksDays ? out.problem : out.note)(`${message}.`)
    const exchanges = [...new Set(pairs.map(({ exchange }) => exchange))]
    const venues = needsNoConnection ? venuesOfDocuments : await venuesOf(await client(), connectionId)
    if (!needsNoConnection) noteUnlistedVenues(out, venues, exchanges)
    const modelledTimes = exchanges.flatMap((exchange) =>
      datasets.flatMap(
        (dataset) => modelledTimeNote({ dataset, exchange, timestamp: request.timestamp }, venues) ?? [],
      ),
    )
    for (const note of modelledTimes) out.note(noteText.warning(note))
    const notes = datasets.flatMap((dataset) => comparisonNotes(dataset))
    for (const note of notes) out.note(noteText.warning(note))
    out.result({ outputs, missing, modelledTimes, notes }, () => recordLines(columns, outputs))
    if (lacksDays) out.problem(text.run.lacksDays)
    return results.some(({ noEvents }) => noEvents) ? exit.partial : exit.done
  },
})

const columns: readonly ReadColumn<ComputeResult['outputs'][number]>[] = [
  seriesColumns.dataset,
  column('rows', 'Rows', 'count', ({ rows }) => rows),
  ...fieldColumns({ path: 'Path' }),
]

type ComputeResult = Awaited<ReturnType<typeof computeMetrics>> & { noEvents?: AppError }

/**
 * Returns an error that means that a symbol has no events, because it must not stop the other symbols; throws every
 * other error.
 */
function onlyWithoutEvents(thrown: unknown): AppError {
  if (thrown instanceof AppError && thrown.code === 'not-here') return thrown
  throw thrown
}

/** Returns the cluster of the ClickHouse server of a connection, for its scripts; empty if there is none. */
async function clusterOf(core: Client, connection: string | undefined): Promise<string> {
  const { id } = await findConnection(core, connection)
  return (await core.call('connections.engine', { id }))?.cluster ?? ''
}

/** Adds the venue and the symbol to the outputs and messages of a result, because `--list` computes several symbols. */
function resultOfPair(
  { exchange, symbol }: { exchange: string; symbol: string },
  result: ComputeResult | AppError,
): ComputeResult {
  const named = (message: string) => noteText.pairWithoutRows(exchange, symbol, message)
  if (result instanceof AppError) {
    const why = result.detail?.replace(/\.$/, '') ?? result.sentence
    return { outputs: [], missing: [named(why)], lacksDays: true, noEvents: result }
  }
  const outputs = result.outputs.map((each) => ({ exchange, symbol, ...each }))
  return { ...result, outputs, missing: result.missing.map(named) }
}

/** Returns the folder for the results of one symbol if `--list` is given; raw events have the same folder names. */
const pairPath = (folder: string, exchange: string, symbol: string) =>
  join(folder, `exchange=${encodeURIComponent(exchange)}`, `symbol=${encodeURIComponent(symbol)}`)

/** Returns a note if a column of the dataset compares each row with earlier rows; otherwise an empty list. */
const comparisonNotes = (dataset: string): string[] =>
  dataset === 'flow' ? [noteText.comparesWithinDay('flow_toxicity_score')] : []

const outputsOf = (
  datasets: ReturnType<typeof computeRequestOf>['datasets'],
  path: string,
  isFolder = datasets.length > 1,
) => datasets.map((dataset) => ({ dataset, path: isFolder ? join(path, `${dataset}.parquet`) : path }))

export const command: CliCommand = {
  verb: 'compute',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope compute --dataset flow --exchange VENUE --symbol perpetual-BTC-USDT:USDT --interval 1m --timestamp exchange --start 2026-09-01 --end 2026-09-02 --raw raw --out flow.parquet',
    'perpscope compute --dataset flow --exchange VENUE --symbol perpetual-BTC-USDT:USDT --interval 1m --timestamp exchange --start 2026-09-01 --end 2026-09-30 --raw s3://bucket/raw --out s3://bucket/metrics --engine clickhouse --print-sql',
    'perpscope compute --dataset flow --list majors --interval 1m --timestamp exchange --start 2026-01-01 --end 2026-09-30 --raw table:raw --engine clickhouse --parallel 8',
    'perpscope compute --dataset flow --exchange VENUE --symbol perpetual-BTC-USDT:USDT --interval 1m --timestamp exchange --start 2026-09-01 --end 2026-09-30 --raw /mnt/raw --out /mnt/metrics --engine spark --submit "spark-sql --master spark://node:7077"',
  ],
  actions: [compute],
}
