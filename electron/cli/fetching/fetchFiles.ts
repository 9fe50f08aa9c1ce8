import type { Enqueued } from '#shared/contract/areas/downloads.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import { closedPipe, exit, type ExitStatus, type Invocation } from '../command.ts'
import { createFetchReport } from './fetchReport.ts'
import { followBatch } from './followBatch.ts'
import { plannedFiles } from './plannedFiles.ts'

/** What a person waits for goes before what the queue holds anyway. */
export const PRIORITY = 100

export interface FetchWishes {
  request: CallInput<'downloads.plan'>['request'] & { connectionId: string }
  enqueue(): Promise<Enqueued>
  /** Why there may be nothing, in sentences. */
  explainAbsent(): Promise<string[]>
  isDryRun: boolean
  concurrency: number | undefined
}

/** Says what the request comes to, puts what is not here into the queue and follows it to its end. */
export async function fetchFiles(
  { app, client, offline, out, signal }: Pick<Invocation, 'app' | 'client' | 'offline' | 'out' | 'signal'>,
  { request, enqueue, explainAbsent, isDryRun, concurrency }: FetchWishes,
): Promise<ExitStatus> {
  const core = await client()
  const files = plannedFiles(await core.call('downloads.plan', { request }, { signal }))
  const report = createFetchReport(out, isDryRun)
  for (const file of files) if (!file.fetch || isDryRun) report.planned(file)
  if (isDryRun) {
    const { bytes } = await core.call('downloads.preview', { request }, { signal })
    return report.end({ toFetch: files.filter((file) => file.fetch).length, estimatedBytes: bytes })
  }
  if (files.length === 0) out.note('There is no file to fetch: the range lies in the future.')
  const wanted = files.filter((file) => file.fetch)
  let isInterrupted = false
  if (offline) report.offline(wanted)
  else if (wanted.length > 0) {
    const { batchId } = await enqueue()
    ;(await app()).runDownloads(concurrency === undefined ? {} : { concurrency })
    isInterrupted = await followBatch(core, batchId, request.connectionId, report, out, signal)
  }
  if (report.absent() > 0 && !isInterrupted) (await explainAbsent()).forEach(out.problem)
  const status = report.end({})
  return isInterrupted && signal.reason !== closedPipe ? exit.interrupted : status
}
