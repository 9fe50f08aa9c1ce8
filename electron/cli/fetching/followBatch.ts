import { setTimeout as sleep } from 'node:timers/promises'
import type { DownloadProgress } from '#shared/contract/areas/downloads.ts'
import type { CallOutput } from '#shared/contract/calls.ts'
import type { Client } from '#shared/contract/client.ts'
import { sentencesOf } from '../failure.ts'
import type { Output } from '../print.ts'
import { formatBytes } from '../sizes.ts'
import { fetchReportText } from '../text/messages.ts'
import type { FetchReport, StopReason } from './fetchReport.ts'

type ResultsPage = CallOutput<'downloads.results'>

const POLL_EVERY_MS = 100
const PAGE = 1000

/**
 * Reports each file of a batch when its download has ended, even if another process downloads it. The rest of the batch
 * is cancelled if the user interrupts the run, the connection is paused or the downloads stall.
 * @returns whether the user interrupted the run
 */
export async function followBatch(
  core: Client,
  batchId: number,
  connectionId: string,
  report: FetchReport,
  out: Output,
  signal: AbortSignal,
): Promise<boolean> {
  let after: { endedAt: number; id: number } | null = null
  const isStuck = createStallDetector(() => performance.now())
  for (let isAbandoned = false; ;) {
    const { downloads, files }: ResultsPage = await core.call('downloads.results', { batchId, after, limit: PAGE })
    for (const download of downloads) {
      report.ended(download)
      after = { endedAt: download.endedAt ?? 0, id: download.id }
    }
    if (report.endedFiles() >= files) return signal.aborted
    if (downloads.length === PAGE) continue
    const progress = await core.call('downloads.progress', {})
    const bytes = progress.running.reduce((sum, { doneBytes }) => sum + doneBytes, 0)
    const isStalled = isStuck(`${report.endedFiles()} ${bytes}`, isRateLimited(progress))
    out.progress({
      done: report.endedFiles(),
      total: files,
      message: progressMessage(report.endedFiles(), files, progress),
    })
    if (!isAbandoned && (signal.aborted || isStalled || isPaused(progress, connectionId))) {
      isAbandoned = true
      report.setStopReason(signal.aborted ? null : reasonOf(progress))
      await core.call('downloads.cancel', { which: { filter: { batchId } } })
      continue
    }
    await sleep(POLL_EVERY_MS)
  }
}

/** Tells whether the downloads of the connection are paused until the user acts. */
const isPaused = ({ holds }: DownloadProgress, connectionId: string) =>
  holds.some((pause) => pause.until === null && (pause.connectionId === '' || pause.connectionId === connectionId))

/** Tells whether a service asked to wait; the command then keeps waiting. */
const isRateLimited = ({ holds }: DownloadProgress) => holds.some(({ code }) => code === 'rate-limited')

function reasonOf({ holds: [first] }: DownloadProgress): StopReason {
  if (first) return { short: first.sentence, message: sentencesOf(first) }
  return {
    short: fetchReportText.stalled,
    message: fetchReportText.stalledHint,
  }
}

const progressMessage = (done: number, files: number, { bytesPerSecond, holds }: DownloadProgress) =>
  fetchReportText.progress(done, files, formatBytes(bytesPerSecond), holds.at(0)?.sentence ?? null)

/** Time without a new file or byte after which the command fails instead of waiting any longer. */
const STALL_TIMEOUT_MS = 45_000
/** Longest time that counts between two polls; if more has passed, the machine slept. */
const LONGEST_POLL_MS = 2000

/**
 * Creates a function to call at each poll. It tells whether there was no progress for too long. Time in which this
 * machine slept does not count, and an excused poll starts the count again.
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
    return stalledMs > STALL_TIMEOUT_MS
  }
}
