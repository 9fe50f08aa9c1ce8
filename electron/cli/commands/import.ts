import { noteText, progressText, usageText } from '../text/messages.ts'
import { importCommandText as text } from '../text/commands.ts'
import { resolve } from 'node:path'
import { timestampSources } from '#shared/catalog/intervals.ts'
import { metricDatasetIds } from '#shared/catalog/metricDatasets.ts'
import { isRawDatasetId, rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { isSymbol } from '#shared/catalog/symbols.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { soleAction, type CliCommand } from '../command.ts'
import { fileProblem, isFolder } from '#core/smallFile.ts'
import { findConnection } from '../connections.ts'
import { importComputedFiles } from '../computedImport.ts'
import { createImportReport } from '../importReport.ts'
import { importMetricFiles } from '../metricImport.ts'
import { checkFolder } from '../targets.ts'
import { UsageError } from '../usageError.ts'

const importAction = soleAction({
  summary: text.run.summary,
  interrupted: text.run.interrupted,
  args: [{ name: 'PATH', description: text.run.args.PATH, many: true, optional: true, path: true, reads: true }],
  options: {
    dataset: {
      type: 'text',
      value: 'D',
      values: [...new Set<string>([...rawDatasets.map(({ id }) => id), ...metricDatasetIds])],
      description: text.run.options.dataset,
    },
    exchange: { type: 'text', value: 'V', description: text.run.options.exchange },
    symbol: { type: 'text', value: 'S', symbols: 'cached', description: text.run.options.symbol },
    interval: { type: 'text', value: 'I', description: text.run.options.interval },
    timestamp: { type: 'text', value: 'T', values: timestampSources, description: text.run.options.timestamp },
    metrics: { type: 'path', value: 'DIR', description: text.run.options.metrics },
    computed: { type: 'path', value: 'DIR', description: text.run.options.computed },
  },
  async run({ app, client, args, connection, options, out, signal }) {
    const { dataset, exchange, symbol, interval, timestamp, metrics, computed } = options
    if (metrics !== undefined) {
      if (args.length > 0 || computed !== undefined) throw new UsageError(usageText.metricsAlone)
      const folder = resolve(metrics)
      checkFolder('--metrics', folder)
      const core = await client()
      const { id: connectionId } = await findConnection(core, connection)
      const named = { dataset, exchange, symbol, interval, timestamp }
      const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined))
      return importMetricFiles(core, { connectionId, folder, ...given }, out, signal)
    }
    if (interval !== undefined || timestamp !== undefined) throw new UsageError(usageText.onlyForMetrics)
    if (dataset !== undefined && !isRawDatasetId(dataset))
      throw new UsageError(
        usageText.notImportedDataset(
          dataset,
          rawDatasets.map(({ id }) => id),
        ),
      )
    if (computed !== undefined) {
      if (args.length > 0 || [dataset, exchange, symbol].some((given) => given !== undefined))
        throw new UsageError(usageText.computedAlone)
      const folder = resolve(computed)
      checkFolder('--computed', folder)
      const { id } = await findConnection(await client(), connection)
      return importComputedFiles(await app(), { connectionId: id, folder }, out, signal)
    }
    if (args.length === 0) throw new UsageError(usageText.argumentMissing('PATH', text.run.args.PATH))
    if (symbol !== undefined && !isSymbol(symbol)) throw new UsageError(usageText.notSymbol(symbol))
    const core = await client()
    const { id: connectionId } = await findConnection(core, connection)
    const report = createImportReport(out)
    const paths = args.map((path) => resolve(path))
    const problems = new Map(paths.map((path) => [path, importProblem(path)]))
    for (const [path, problem] of problems) if (problem) report.unusable(path, problem.replace(`${path} `, 'It '))
    await (await app()).receiveFiles(paths.filter((path) => !problems.get(path)))
    const givenIdentity = { ...(dataset && { dataset }), ...(exchange && { exchange }), ...(symbol && { symbol }) }
    const onProgress = ({ done, total }: Progress) =>
      out.progress({
        done: Math.round(done / 1e6),
        total: Math.ceil((total ?? 0) / 1e6),
        message: progressText.megabytesRead,
      })
    const { files, others } = await core.call(
      'raw.importReceived',
      { connectionId, ...givenIdentity },
      { signal, onProgress },
    )
    if (others > 0) out.note(noteText.otherFilesSkipped(others))
    for (const { file, outcome } of files) if (!outcome) report.refused(file)
    for (const { file, outcome } of files) if (outcome) report.ended(file, outcome)
    return report.end()
  },
})

/** Returns why a path cannot be imported, or null. A pipe or device is refused, because reading it may never end. */
function importProblem(path: string): string | null {
  return isFolder(path) ? null : fileProblem(path)
}

export const command: CliCommand = {
  verb: 'import',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope import raw/2026-09-01.parquet --exchange VENUE --symbol perpetual-BTC-USDT:USDT',
    'perpscope import capture/dataset=trades',
    'perpscope import --metrics downloads --timestamp exchange',
    'perpscope import --computed results',
  ],
  actions: [importAction],
}
