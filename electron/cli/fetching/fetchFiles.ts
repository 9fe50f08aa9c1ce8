import { noteText } from '../text/messages.ts'
import type { EnqueueResult, LockedPart } from '#shared/contract/areas/downloads.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import type { Client } from '#shared/contract/client.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import { isBucketAddress } from '#shared/contract/sharedStore.ts'
import { dayOf } from '#shared/time.ts'
import { closedPipe, exit, type ExitStatus, type Invocation } from '../command.ts'
import { messageOf } from '../failure.ts'
import type { Output } from '../print.ts'
import { createFetchReport, type FetchReport, type FileListing } from './fetchReport.ts'
import { followBatch } from './followBatch.ts'
import { plannedFiles, type PlannedDownload } from './plannedFiles.ts'

export interface FetchRequest {
  request: CallInput<'downloads.plan'>['request'] & { connectionId: string }
  enqueue(options: { storeOnly: boolean }): Promise<EnqueueResult>
  /** Explains in sentences why files may be absent. */
  explainAbsent(): Promise<string[]>
  isDryRun: boolean
  concurrency: number | undefined
  listing?: FileListing
  /** True to publish the files to the connection's shared store once they are cached. */
  mustPublish?: boolean
}

/** Reports the plan of the request, queues the files that are not cached, and follows them until they finish. */
export async function fetchFiles(
  { app, client, offline, out, signal }: Pick<Invocation, 'app' | 'client' | 'offline' | 'out' | 'signal'>,
  { request, enqueue, explainAbsent, isDryRun, concurrency, listing, mustPublish = false }: FetchRequest,
): Promise<ExitStatus> {
  const core = await client()
  // The announcement comes before the downloads, because it fails if nothing can be published, and then nothing should
  // be downloaded.
  if (mustPublish) await announcePublishing(core, request.connectionId, out, signal)
  const planned = await planWithFreshLists({ core, offline, signal }, request)
  const files = planned.filter((file) => !mayNotExist(file))
  const leftOut = planned.length - files.length
  const report = createFetchReport(out, isDryRun, listing)
  const today = dayOf(Date.now())
  const { bytes: estimatedBytes, outsideListing } = await core.call('downloads.preview', { request }, { signal })
  if (planned.length === 0 && outsideListing === 0) out.note(noteText.noFilesInRange)
  else if (request.endDay > today) out.note(noteText.futureDaysLeftOut(today))
  if (leftOut > 0) out.note(noteText.unlistedLeftOut(leftOut))
  if (outsideListing > 0) out.note(noteText.outsideListing(outsideListing))
  const missingAtSource = files.filter(({ state, fetch }) => state === 'gap' && !fetch).length
  if (missingAtSource > 0) out.note(noteText.missingAtSource(missingAtSource))
  const leftOutCounts: Record<string, number> = {
    ...(leftOut > 0 && { leftOut }),
    ...(outsideListing > 0 && { outsideListing }),
    ...(missingAtSource > 0 && { missingAtSource }),
  }
  for (const file of files) if (!file.fetch || isDryRun) report.planned(file)
  if (isDryRun) {
    const withoutRefused = { ...request, tryRefused: false }
    const { locked } = await core.call('downloads.preview', { request: withoutRefused }, { signal })
    for (const lockedDataset of locked) if (lockedDataset.refusal) out.note(refusalNote(lockedDataset))
    if (leftOut > 0) (await explainAbsent()).forEach(out.problem)
    const toFetch = files.filter((file) => file.fetch).length
    return report.end({ toFetch, estimatedBytes, ...leftOutCounts })
  }
  const filesToFetch = files.filter((file) => file.fetch)
  // A shared store in a folder can be read offline, so the files that it has can still be fetched.
  const storeOnly = offline && filesToFetch.length > 0 && (await hasFolderStore(core, request.connectionId))
  if (offline && !storeOnly) report.failed(filesToFetch, new AppError('offline'))
  else if (filesToFetch.length > 0) {
    await download({ core, app, report, out, signal }, filesToFetch, request.connectionId, concurrency, () =>
      enqueue({ storeOnly }),
    )
    if (filesToFetch.some(report.isExpected) && !signal.aborted)
      for (const file of plannedFiles(await core.call('downloads.plan', { request }, { signal })))
        if (report.isExpected(file) && !file.fetch) report.planned(file)
  }
  const isInterrupted = filesToFetch.length > 0 && signal.aborted
  // A failed or interrupted explanation must not keep back the summary.
  const reasonOfFailure = (thrown: unknown) => (signal.aborted ? [] : [messageOf(thrown)])
  if (report.absent() + leftOut > 0 && !isInterrupted)
    (await explainAbsent().catch(reasonOfFailure)).forEach(out.problem)
  const published = mustPublish && !isInterrupted ? await publish(core, request, out, signal) : null
  const status = report.end({ ...published?.counts, ...leftOutCounts })
  if (signal.aborted && signal.reason !== closedPipe) return exit.interrupted
  return published?.isPartial && status === exit.done ? exit.partial : status
}

/** Tells whether a planned file is left out because its symbol is not listed, or not for its days. */
const mayNotExist = ({ state, fetch }: PlannedDownload) => state === 'unknown' && !fetch

/** Number of files to fetch from which on the lists that say what exists are read before the plan. */
const MANY_FILES = 100

/**
 * Plans a request. For raw events, and if files are left out because they may not exist or many are to be fetched, the
 * lists that say what exists are renewed first where they may be outdated.
 */
async function planWithFreshLists(
  { core, offline, signal }: { core: Client; offline: boolean; signal: AbortSignal },
  request: FetchRequest['request'],
): Promise<PlannedDownload[]> {
  const plan = async () => plannedFiles(await core.call('downloads.plan', { request }, { signal }))
  const { connectionId, kind } = request
  const renew = async (work: Promise<unknown>): Promise<void> => {
    // Without an answer the lists stay as they are.
    await work.catch(() => signal.throwIfAborted())
  }
  const renewCatalog = () => renew(core.call('discovery.rawCatalog', { connectionId }, { signal }))
  if (kind === 'raw') {
    // The catalog says which raw events are missing, and how large the others are.
    if (!offline) await renewCatalog()
    return plan()
  }
  const files = await plan()
  const leftOut = files.filter(mayNotExist)
  const isLarge = files.filter(({ fetch }) => fetch).length > MANY_FILES
  if (offline || (leftOut.length === 0 && !isLarge)) return files
  await renewCatalog()
  for (const [exchange, absent] of Map.groupBy(leftOut, (file) => file.exchange)) {
    const { symbols } = await core.call('discovery.symbols', { connectionId, exchange }, { signal })
    const isUnlisted = absent.some(({ symbol }) => !symbols.includes(symbol))
    if (isUnlisted) await renew(core.call('discovery.symbols', { connectionId, exchange, refresh: true }, { signal }))
  }
  return plan()
}

interface DownloadDeps extends Pick<Invocation, 'app' | 'out' | 'signal'> {
  core: Client
  report: FetchReport
}

/** Queues the files and follows them. If the queue itself fails, as on a full disk, the remaining files are reported. */
async function download(
  { core, app, report, out, signal }: DownloadDeps,
  files: readonly PlannedDownload[],
  connectionId: string,
  concurrency: number | undefined,
  enqueue: () => Promise<EnqueueResult>,
): Promise<void> {
  report.expect(files)
  try {
    const { batchId } = await enqueue()
    ;(await app()).runDownloads(concurrency === undefined ? {} : { concurrency })
    await followBatch(core, batchId, connectionId, report, out, signal)
  } catch (thrown) {
    if (signal.aborted) report.setStopReason(null)
    report.failed(files.filter(report.isExpected), toAppError(thrown))
  }
}

async function announcePublishing(core: Client, connectionId: string, out: Output, signal: AbortSignal): Promise<void> {
  const { store } = await core.call('downloads.publishTarget', { connectionId }, { signal })
  out.note(noteText.publishing(store))
}

/**
 * Publishes the cached files of the request.
 * @returns their counts for the summary, and whether some files could not be published
 */
async function publish(core: Client, request: FetchRequest['request'], out: Output, signal: AbortSignal) {
  const callOptions = { signal, onProgress: out.progress }
  const answer = await core.call('downloads.publish', { request }, callOptions).catch((thrown: unknown) => {
    if (!signal.aborted) out.problem(messageOf(thrown))
    return null
  })
  if (!answer) return { counts: undefined, isPartial: true }
  const { problems, partial, published, rewritten, there } = answer
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
