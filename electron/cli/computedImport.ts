import type { App } from '#core/app.ts'
import type { ImportComputedRequest, ImportResult } from '#core/engines/importComputed.ts'
import { formatBytes } from '#shared/units/bytes.ts'
import { exit, type ExitStatus } from './command.ts'
import type { Output } from './print.ts'
import { progressText } from './text/messages.ts'

/** Imports files that another engine computed; prints one line per day, refused file and missing series. */
export async function importComputedFiles(
  app: App,
  request: ImportComputedRequest,
  out: Output,
  signal: AbortSignal,
): Promise<ExitStatus> {
  const counts: Record<ImportResult['state'], number> = { imported: 0, cached: 0, failed: 0 }
  let bytes = 0
  await app.importComputed(request, {
    signal,
    onProgress: ({ done, total }) => out.progress({ done, total, message: progressText.imported }),
    onResult(result) {
      counts[result.state]++
      if (result.state === 'imported') bytes += result.bytes
      const { dataset = null, exchange = null, symbol = null, interval = null, timestamp = null, ...rest } = result
      out.record({ dataset, exchange, symbol, interval, timestamp, ...rest }, () =>
        [result.state, dataset, exchange, symbol, interval, timestamp, result.period ?? result.files[0]]
          .filter(Boolean)
          .join('  '),
      )
      if (result.error !== null) out.problem(result.error)
    },
  })
  const { imported, cached, failed } = counts
  out.record({ summary: { ...counts, bytes } }, () =>
    [
      `${imported} imported (${formatBytes(bytes)})`,
      cached > 0 && `${cached} already cached`,
      failed > 0 && `${failed} failed`,
    ]
      .filter(Boolean)
      .join(', '),
  )
  if (failed === 0) return exit.done
  return imported + cached > 0 ? exit.partial : exit.failed
}
