import { noteText } from '../text/messages.ts'
import type { EnqueueResult, LockedPart } from '#shared/contract/areas/downloads.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import type { Client } from '#shared/contract/client.ts'
import { isBucketAddress } from '#shared/contract/sharedStore.ts'
import { dayOf } from '#shared/time.ts'
import { closedPipe, exit, type ExitStatus, type Invocation } from '../command.ts'
import type { Output } from '../print.ts'
import { createFetchReport } from './fetchReport.ts'
import { followBatch } from './followBatch.ts'
import { plannedFiles } from './plannedFiles.ts'

/** Priority of the files that the command waits for: higher than the one with which the window queues files. */
export const PRIORITY = 100

export interface FetchRequest {
  request: CallInput<'downloads.plan'>['request'] & { connectionId: string }
  enqueue(options: { storeOnly: boolean }): Promise<EnqueueResult>
  /** Explains in sentences why files may be absent. */
  explainAbsent(): Promise<string[]>
  isDryRun: boolean
  concurrency: number | undefined
  /** True to publish the files to the connection's shared store once they are cached. */
  mustPublish?: boolean
}

/** Reports the plan of the request, queues the files that are not cached, and follows them until they finish. */
export async function fetchFiles(
  { app, client, offline, out, signal }: Pick<Invocation, 'app' | 'client' | 'offline' | 'out' | 'signal'>,
  { request, enqueue, explainAbsent, isDryRun, concurrency, mustPublish = false }: FetchRequest,
): Promise<ExitStatus> {
  const core = await client()
  // The announcement comes before the downloads, because it fails if publishing is forbidden, and then nothing should
  // be downloaded.
  if (mustPublish) await announcePublishing(core, request.connectionId, out)
  const files = plannedFiles(await core.call('downloads.plan', { request }, { signal }))
  const report = createFetchReport(out, isDryRun)
  const today = dayOf(Date.now())
  if (files.length === 0) out.note(noteText.noFilesInRange)
  else if (request.endDay > today) out.note(noteText.futureDaysLeftOut(today))
  for (const file of files) if (!file.fetch || isDryRun) report.planned(file)
  if (isDryRun) {
    const withoutRefused = { ...request, tryRefused: false }
    const { locked } = await core.call('downloads.preview', { request: withoutRefused }, { signal })
    for (const lockedDataset of locked) if (lockedDataset.refusal) out.note(refusalNote(lockedDataset))
    const { bytes } = await core.call('downloads.preview', { request }, { signal })
    return report.end({ toFetch: files.filter((file) => file.fetch).length, estimatedBytes: bytes })
  }
  const filesToFetch = files.filter((file) => file.fetch)
  let isInterrupted = false
  // A shared store in a folder can be read offline, so only the files that it lacks cannot be fetched.
  const storeOnly = offline && filesToFetch.length > 0 && (await hasFolderStore(core, request.connectionId))
  if (offline && !storeOnly) report.offline(filesToFetch)
  else if (filesToFetch.length > 0) {
    report.expect(filesToFetch)
    const { batchId } = await enqueue({ storeOnly })
    ;(await app()).runDownloads(concurrency === undefined ? {} : { concurrency })
    isInterrupted = await followBatch(core, batchId, request.connectionId, report, out, signal)
    if (filesToFetch.some(report.isExpected) && !signal.aborted)
      for (const file of plannedFiles(await core.call('downloads.plan', { request }, { signal })))
        if (report.isExpected(file) && !file.fetch) report.planned(file)
  }
  if (report.absent() > 0 && !isInterrupted) (await explainAbsent()).forEach(out.problem)
  const published = mustPublish && !isInterrupted ? await publish(core, request, out, signal) : null
  const status = report.end(published?.counts ?? {})
  if (isInterrupted && signal.reason !== closedPipe) return exit.interrupted
  return published?.isPartial && status === exit.done ? exit.partial : status
}

async function announcePublishing(core: Client, connectionId: string, out: Output): Promise<void> {
  const { store } = await core.call('downloads.publishTarget', { connectionId })
  out.note(noteText.publishing(store))
}

/**
 * Publishes the cached files of the request.
 * @returns their counts for the summary, and whether some files could not be published
 */
async function publish(core: Client, request: FetchRequest['request'], out: Output, signal: AbortSignal) {
  const callOptions = { signal, onProgress: out.progress }
  const { problems, partial, published, rewritten, there } = await core.call(
    'downloads.publish',
    { request },
    callOptions,
  )
  for (const problem of problems) out.problem(problem)
  if (partial > 0) out.note(noteText.partialNotPublished(partial))
  out.note(noteText.published(published, rewritten, there))
  return { counts: { published, rewritten, alreadyPublished: there }, isPartial: problems.length > 0 }
}

async function hasFolderStore(core: Client, connectionId: string): Promise<boolean> {
  const store = (await core.call('connections.names', {})).find(({ id }) => id === connectionId)?.store ?? ''
  return store !== '' && !isBucketAddress(store)
}

const refusalNote = ({ dataset, interval, refusal }: LockedPart) =>
  noteText.refused([dataset, interval].join(' ').trim(), dayOf(refusal?.at ?? 0), refusal?.message ?? null)
