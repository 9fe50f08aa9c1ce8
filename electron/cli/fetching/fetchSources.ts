import type { SeriesKey } from '#shared/catalog/seriesKey.ts'
import { dayFromNumber, periodDays } from '#shared/time/periods.ts'
import { parseFilePath } from '#core/store/partitions.ts'
import type { Invocation } from '../command.ts'
import type { Output } from '../print.ts'
import { fetchFiles } from './fetchFiles.ts'

/**
 * Downloads the files at these paths, which are relative to the data folder; paths of files that do not come from a
 * service are ignored.
 */
export async function fetchSources(
  paths: readonly string[],
  { app, client, offline, out, signal }: Pick<Invocation, 'app' | 'client' | 'offline' | 'out' | 'signal'>,
): Promise<void> {
  const core = await client()
  const connectionIds = new Set((await core.call('connections.names', {})).map(({ id }) => id))
  for (const path of paths) {
    const [folder, connectionId, ...rest] = path.split('/')
    const file = folder === 'files' && connectionIds.has(connectionId) ? parseFilePath(rest.join('/')) : null
    const days = file && periodDays(file.period)
    if (!file || !days) continue
    const request = {
      connectionId,
      ...selectionOf(file.series),
      startDay: dayFromNumber(days.start),
      endDay: dayFromNumber(days.end - 1),
      refresh: true,
      tryLocked: false,
      tryRefused: true,
    }
    await fetchFiles(
      { app, client, offline, out: withoutResults(out), signal },
      {
        request,
        enqueue: (options) => core.call('downloads.enqueue', { request: { ...request, ...options }, label: 'replay' }),
        explainAbsent: () => Promise.resolve([]),
        isDryRun: false,
        concurrency: undefined,
        listing: 'none',
      },
    )
  }
}

const selectionOf = ({ kind, dataset, exchange, symbol, interval, timestamp }: SeriesKey) => ({
  kind,
  datasets: [dataset],
  exchanges: [exchange],
  symbols: [symbol],
  ...(kind === 'metrics' && { intervals: [interval], timestamps: [timestamp as 'exchange' | 'true'] }),
})

/** Returns an output that discards results, because these downloads only prepare what the command itself prints. */
const withoutResults = (out: Output): Output => ({
  ...out,
  result: () => undefined,
  record: () => undefined,
  line: () => undefined,
})
