import type { CallInput } from '#shared/contract/calls.ts'
import type { Client } from '#shared/contract/client.ts'
import type { MetricFileGuess, MetricFileImport } from '#shared/contract/areas/raw.ts'
import { column, type ReadColumn } from '#shared/sheet/sheet.ts'
import { formatBytes } from '#shared/units/bytes.ts'
import { exit, type ExitStatus } from './command.ts'
import { Failure } from './failure.ts'
import type { Output } from './print.ts'
import { recordLines } from './sheetLines.ts'
import { failureText, noteText, progressText } from './text/messages.ts'

const guessColumns: readonly ReadColumn<MetricFileGuess>[] = [
  column('file', 'File', 'text', ({ file }) => file),
  column('dataset', 'Dataset', 'text', ({ dataset }) => dataset ?? '?'),
  column('exchange', 'Venue', 'text', ({ exchange }) => exchange ?? '?'),
  column('symbol', 'Symbol', 'text', ({ symbol }) => symbol ?? '?'),
  column('interval', 'Interval', 'text', ({ interval }) => interval ?? '?'),
  column('timestamp', 'Clock', 'text', ({ timestamp }) => timestamp ?? '?'),
  column('period', 'Period', 'text', ({ period }) => period),
]

/** Imports metric files that another program downloaded; a table first shows what each file is taken for. */
export async function importMetricFiles(
  core: Client,
  request: CallInput<'raw.importMetrics'>,
  out: Output,
  signal: AbortSignal,
): Promise<ExitStatus> {
  const preview = await core.call('raw.metricFiles', request, { signal })
  if (preview.files.length === 0) throw new Failure(failureText.noMetricFiles(request.folder))
  if (!out.json) recordLines(guessColumns, preview.files).forEach(out.line)
  const { files, others } = await core.call('raw.importMetrics', request, {
    signal,
    onProgress: ({ done, total }) => out.progress({ done, total, message: progressText.imported }),
  })
  const count = (state: MetricFileImport['state']) => files.filter((file) => file.state === state)
  const [imported, cached, failed] = [count('imported'), count('cached'), count('failed')]
  for (const { problem: _problem, ...file } of files) {
    if (out.json) out.record(file, () => '')
    if (file.error !== null) out.problem(file.error)
  }
  if (others > 0) out.note(noteText.otherFilesSkipped(others))
  const bytes = imported.reduce((sum, file) => sum + file.bytes, 0)
  const summary = { imported: imported.length, cached: cached.length, failed: failed.length, bytes }
  out.record({ summary }, () =>
    [
      `${imported.length} imported (${formatBytes(bytes)})`,
      ...(cached.length > 0 ? [`${cached.length} already cached`] : []),
      ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ].join(', '),
  )
  if (failed.length === 0) return exit.done
  return failed.length < files.length ? exit.partial : exit.failed
}
