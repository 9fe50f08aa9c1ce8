import { setTimeout as sleep } from 'node:timers/promises'
import type { Download, DownloadPause, DownloadProgress } from '#shared/contract/areas/downloads.ts'
import type { CallOutput } from '#shared/contract/calls.ts'
import type { Client } from '#shared/contract/client.ts'
import { sentencesOf } from '../failure.ts'
import type { Output } from '../print.ts'
import { formatBytes } from '../sizes.ts'
import { fetchReportText, noteText } from '../text/messages.ts'
import type { FetchReport, StopReason } from './fetchReport.ts'

type ResultsPage = CallOutput<'downloads.results'>

const POLL_EVERY_MS = 100
const PAGE = 1000

/**
 * Reports each file of a batch when its download has ended, even if another process downloads it. The rest of the batch
 * is cancelled if the user interrupts the run, the connection is paused or the downloads stall. Cancelled files are
 * reported last, because the file of a transfer that was running may still arrive.
 */
export async function followBatch(
  core: Client,
  batchId: number,
  connectionId: string,
  report: FetchReport,
  out: Output,
  signal: AbortSignal,
): Promise<void> {
  let after: { endedAt: number; id: number } | null = null
  let isAbandoned = false
  const isStuck = createStallDetector(() => performance.now())
  const waitsItsTurn = createTurnCheck(core, batchId)
  const areSettled = createSettlement(() => performance.now())
  const noteWait = createWaitNotes(out, Date.now)
  const cancelled = new Map<number, Download>()
  for (;;) {
    // The progress is read first, so a transfer that it no longer lists has its end in the results read after it.
    const { holds: allHolds, ...progress } = await core.call('downloads.progress', {})
    const pauses = allHolds.filter((pause) => pause.connectionId === '' || pause.connectionId === connectionId)
    const { downloads, files }: ResultsPage = await core.call('downloads.results', { batchId, after, limit: PAGE })
    for (const download of downloads) {
      cancelled.delete(download.id)
      if (download.state === 'cancelled') cancelled.set(download.id, download)
      else report.ended(download)
      after = { endedAt: download.endedAt ?? 0, id: download.id }
    }
    if (downloads.length === PAGE) continue
    const endedFiles = report.endedCount() + cancelled.size
    if (endedFiles >= files && areSettled([...cancelled.keys()], progress)) {
      cancelled.forEach(report.ended)
      return
    }
    const bytes = progress.running.reduce((sum, { doneBytes }) => sum + doneBytes, 0)
    const hasNoProgress = isStuck(`${endedFiles} ${bytes}`, isRateLimited(pauses))
    const isStalled = !(await waitsItsTurn(progress, hasNoProgress)) && hasNoProgress
    // Cancelled files are not done: an interrupted run must not look complete.
    const done = report.endedCount()
    out.progress({ done, total: files, message: progressMessage(done, files, progress, pauses) })
    if (!isAbandoned && (signal.aborted || isStalled || isPaused(pauses))) {
      isAbandoned = true
      report.setStopReason(signal.aborted ? null : reasonOf(pauses))
      await core.call('downloads.cancel', { which: { filter: { batchId } } })
      continue
    }
    if (!isAbandoned) pauses.forEach(noteWait)
    await sleep(POLL_EVERY_MS)
  }
}

/** Longest wait for the files of cancelled transfers. */
const SETTLE_TIMEOUT_MS = 5000
/** Time in which another process stops cancelled transfers; it looks for them once a second. */
const SETTLED_ELSEWHERE_MS = 2000

/**
 * Creates a function to call at each poll after all downloads have ended. It tells whether the files of
 * cancelled downloads have had time to arrive.
 */
export function createSettlement(nowMs: () => number) {
  let sinceMs: number | null = null
  return (cancelledIds: readonly number[], { here, running }: Pick<DownloadProgress, 'here' | 'running'>): boolean => {
    if (cancelledIds.length === 0) return true
    const waitedMs = nowMs() - (sinceMs ??= nowMs())
    if (!here) return waitedMs >= SETTLED_ELSEWHERE_MS
    return waitedMs >= SETTLE_TIMEOUT_MS || !running.some(({ id }) => cancelledIds.includes(id))
  }
}

/** Shortest wait that is announced; a shorter one is over before anyone wonders. */
const ANNOUNCED_WAIT_MS = 5000

/** Creates a function that prints why the downloads wait and until when, once for each longer pause. */
export function createWaitNotes(out: Pick<Output, 'note'>, nowMs: () => number) {
  let announcedUntil = -Infinity
  return ({ sentence, until }: Pick<DownloadPause, 'sentence' | 'until'>): void => {
    if (until === null || nowMs() < announcedUntil || until - nowMs() < ANNOUNCED_WAIT_MS) return
    announcedUntil = until
    out.note(noteText.waiting(sentence, until))
  }
}

/** Tells whether the downloads of the connection are paused until the user acts. */
const isPaused = (pauses: readonly DownloadPause[]) => pauses.some(({ until }) => until === null)

/** Tells whether a service asked to wait; the command then keeps waiting. */
const isRateLimited = (pauses: readonly DownloadPause[]) => pauses.some(({ code }) => code === 'rate-limited')

function reasonOf([first]: readonly DownloadPause[]): StopReason {
  if (first) return { short: first.sentence, message: sentencesOf(first) }
  return {
    short: fetchReportText.stalled,
    message: fetchReportText.stalledHint,
  }
}

const progressMessage = (
  done: number,
  files: number,
  { bytesPerSecond }: Pick<DownloadProgress, 'bytesPerSecond'>,
  pauses: readonly DownloadPause[],
) => fetchReportText.progress(done, files, formatBytes(bytesPerSecond), pauses.at(0)?.sentence ?? null)

/**
 * Creates a function to call at each poll. It tells whether a batch without progress only waits its turn: all of its
 * open files are queued, and the queue has ended other files since it was asked last.
 */
export function createTurnCheck(core: Client, batchId: number) {
  let endedBefore: number | null = null
  return async ({ counts }: Pick<DownloadProgress, 'counts'>, hasNoProgress: boolean): Promise<boolean> => {
    const ended = counts.done + counts.failed
    endedBefore ??= ended
    if (!hasNoProgress || ended === endedBefore) return false
    endedBefore = ended
    const filter = { batchId, states: ['running' as const, 'waiting' as const] }
    return (await core.call('downloads.list', { filter, offset: 0, limit: 1 })).total === 0
  }
}

/** Time without a new file or byte after which the command fails instead of waiting any longer. */
const STALL_TIMEOUT_MS = 45_000
/** Longest time that counts between two polls; if more has passed, the machine slept. */
const LONGEST_POLL_MS = 2000

/**
 * Creates a function to call at each poll. It tells whether there was no progress for too long. Time in which this
 * machine slept does not count; the count starts again at every poll with `isExcused`, as after progress.
 */
export function createStallDetector(nowMs: () => number) {
  let polledAtMs = nowMs()
  let stalledMs = 0
  let lastProgressKey = ''
  return (progressKey: string, isExcused: boolean): boolean => {
    const sinceMs = Math.min(nowMs() - polledAtMs, LONGEST_POLL_MS)
    polledAtMs = nowMs()
    stalledMs = progressKey !== lastProgressKey || isExcused ? 0 : stalledMs + sinceMs
    lastProgressKey = progressKey
    if (stalledMs <= STALL_TIMEOUT_MS) return false
    stalledMs = 0
    return true
  }
}
