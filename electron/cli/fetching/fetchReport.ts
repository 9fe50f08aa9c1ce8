import { fetchReportText, noteText } from '../text/messages.ts'
import type { Download } from '#shared/contract/areas/downloads.ts'
import { AppError } from '#shared/contract/errors.ts'
import { neededTier } from '#shared/catalog/neededTier.ts'
import { exit, type ExitStatus } from '../command.ts'
import { shortMessage, messageOf } from '../failure.ts'
import type { Output } from '../print.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { formatBytes } from '../sizes.ts'
import type { PlannedFileIdentity, PlannedDownload } from './plannedFiles.ts'

/** Reason to stop waiting for files: a short form for the line of each file, and the full message. */
export interface StopReason {
  short: string
  message: string
}

const interrupted: StopReason = { short: fetchReportText.interrupted, message: fetchReportText.interrupted }
const cancelled: StopReason = { short: fetchReportText.cancelled, message: fetchReportText.cancelled }

type FileState = 'cached' | 'copied' | 'downloaded' | 'failed' | 'locked' | 'absent' | 'missing'

interface ReportLine extends PlannedFileIdentity {
  state: FileState
  bytes: number | null
  path: string | null
  error: string | null
}

/** Prints the result of `fetch`: one line per file as soon as its state is known, and a summary at the end. */
export interface FetchReport {
  planned(file: PlannedDownload): void
  ended(download: Download): void
  /** Sets the reason with which cancelled files are reported from now on; null if the user interrupted the run. */
  setStopReason(reason: StopReason | null): void
  /** Reports files that cannot be downloaded, such as all files while Perpscope is offline. */
  failed(files: readonly PlannedDownload[], error: AppError): void
  /** Registers files whose downloads have not ended yet. */
  expect(files: readonly PlannedDownload[]): void
  /**
   * Tells whether a file was registered and has not been reported yet. This stays true if another process downloads the
   * file before it can be queued here.
   */
  isExpected(file: PlannedDownload): boolean
  /** Returns the number of downloads that have ended. */
  endedCount(): number
  /** Returns the number of files that the service does not have. */
  absent(): number
  /** Prints the summary. @returns the exit status that follows from the states of the files */
  end(extra: Record<string, number>): ExitStatus
}

const MOST_STORE_PROBLEMS = 20

const plannedStates: Record<string, FileState> = {
  cached: 'cached',
  partial: 'cached',
  absent: 'absent',
  gap: 'absent',
  locked: 'locked',
}

/**
 * Which files get a line of text: all of them, all but those that were cached already, or none. With `--json` every file
 * has a line, except where only counts were asked for.
 */
export type FileListing = 'all' | 'changes' | 'none' | 'counts'

export function createFetchReport(out: Output, isDryRun: boolean, listing: FileListing = 'all'): FetchReport {
  const counts = {
    cached: 0,
    copied: 0,
    downloaded: 0,
    failed: 0,
    locked: 0,
    absent: 0,
    ...(isDryRun && { missing: 0 }),
  }
  const tally = counts as Record<FileState, number>
  /** Full error messages by their short form, so that each is printed only once. */
  const problems = new Map<string, string>()
  let bytes = 0
  let changedUpstream = 0
  let endedCount = 0
  let cancelledFiles = 0
  /** Number of cancelled files for which no line was printed. */
  let silentlyCancelledCount = 0
  const expectedKeys = new Set<string>()
  const storeProblems = new Set<string>()
  let cancelReason = cancelled

  function recordLine(line: ReportLine, short = line.error): void {
    tally[line.state] = (tally[line.state] ?? 0) + 1
    if (line.state === 'downloaded' || line.state === 'copied') bytes += line.bytes ?? 0
    if (line.error && short && !problems.has(short)) problems.set(short, line.error)
    const isListed = out.json
      ? listing !== 'counts'
      : listing === 'all' || (listing === 'changes' && line.state !== 'cached')
    if (!isListed) return
    out.record(line, () => {
      const name = [line.dataset, line.exchange, line.symbol, line.interval, line.timestamp, line.period].join(' ')
      return `${line.state.padEnd(10)} ${name}${short ? `: ${short}` : ''}`
    })
  }

  /** Prints each problem of a store once, even if it affects many files; only the first few problems are printed. */
  function noteStoreProblem(problem: string): void {
    if (storeProblems.size >= MOST_STORE_PROBLEMS || storeProblems.has(problem)) return
    storeProblems.add(problem)
    out.note(noteText.storeProblem(problem))
  }

  /** With `--json` every cancelled file gets a line; without it, an interrupted run only counts the cancelled files. */
  function recordCancelled(line: Omit<ReportLine, 'error'>, ownReason: StopReason | null = null): void {
    cancelledFiles++
    const isGivenUp = cancelReason !== interrupted && cancelReason !== cancelled
    // A file that waited for a reason of its own, such as a damaged copy in a store, is reported with that.
    const { short, message } = (isGivenUp ? ownReason : null) ?? cancelReason
    if (out.json || cancelReason !== interrupted) return recordLine({ ...line, error: message }, short)
    counts.failed++
    silentlyCancelledCount++
  }

  return {
    planned(file) {
      const state = file.fetch ? 'missing' : (plannedStates[file.state] ?? 'missing')
      const error = state === 'locked' ? lockedText(file) : null
      recordLine({ ...nameOf(file), state, bytes: file.bytes, path: file.path, error })
    },
    ended(download) {
      endedCount++
      expectedKeys.delete(keyOf(download))
      if (download.outcome === 'listed otherwise') return
      if (download.outcome === 'changed upstream') {
        changedUpstream++
        const file = `${download.dataset} ${download.symbol} ${download.period}`
        out.note(download.difference ? noteText.imported(file, download.difference) : noteText.republished(file))
      }
      const state = stateOf(download)
      const message = download.error && messageOf(AppError.fromShape(download.error))
      const tier = state === 'locked' ? neededTier(download.dataset, download.interval) : null
      const error = message && tier !== null ? `${message} ${fetchReportText.tierNeeded(tier)}` : message
      if (download.storeProblem !== null) noteStoreProblem(download.storeProblem)
      const isHere = state === 'cached' || state === 'copied' || state === 'downloaded'
      const line = { ...nameOf(download), state, bytes: isHere ? download.totalBytes : null, path: download.path }
      const short = download.error && shortMessage(download.error)
      if (download.state !== 'cancelled') recordLine({ ...line, error }, short)
      else recordCancelled(line, short && message ? { short, message } : null)
    },
    setStopReason(reason) {
      cancelReason = reason ?? interrupted
    },
    failed(files, error) {
      for (const file of files) {
        expectedKeys.delete(keyOf(file))
        const line = { ...nameOf(file), state: 'failed' as const, bytes: null, path: null }
        if (cancelReason === interrupted) recordCancelled(line)
        else recordLine({ ...line, error: messageOf(error) }, shortMessage(error))
      }
    },
    expect: (files) => files.forEach((file) => expectedKeys.add(keyOf(file))),
    isExpected: (file) => expectedKeys.has(keyOf(file)),
    endedCount: () => endedCount,
    absent: () => counts.absent,
    end(extra) {
      const summary = {
        files: Object.values(counts).reduce((sum, n) => sum + n, 0),
        ...counts,
        changedUpstream,
        bytes,
        ...extra,
      }
      const failed = counts.failed - silentlyCancelledCount
      out.record({ summary }, () => summaryLine(summary, { ...counts, failed, 'not fetched': silentlyCancelledCount }))
      const badFiles = counts.failed + counts.locked
      if (cancelledFiles > 0 && cancelReason === interrupted) out.note(noteText.stillToFetch(cancelledFiles))
      if (badFiles === 0 || isDryRun) return exit.done
      for (const problem of [...problems.values()].slice(0, 3)) out.problem(problem)
      return counts.cached + counts.copied + counts.downloaded + counts.absent > 0 ? exit.partial : exit.failed
    },
  }
}

/** Returns the summary, such as `6 files: 4 cached, 2 downloaded; 48.1 kB`. */
function summaryLine(
  { files, bytes, changedUpstream, estimatedBytes }: Record<string, number>,
  counts: Record<string, number>,
): string {
  const parts = Object.entries({ ...counts, 'changed upstream': changedUpstream }).filter(([, count]) => count > 0)
  const statesText = parts.map(([state, count]) => `${count} ${state}`).join(', ')
  const sizeText = bytes > 0 ? `; ${formatBytes(bytes)}` : ''
  const estimateText = estimatedBytes > 0 ? `; about ${formatBytes(estimatedBytes)} to fetch` : ''
  return `${plainPlural(files, 'file')}${statesText && `: ${statesText}`}${sizeText}${estimateText}`
}

const lockedText = ({ dataset, interval }: PlannedFileIdentity) => fetchReportText.locked(neededTier(dataset, interval))

const keyOf = (file: PlannedFileIdentity) => Object.values(nameOf(file)).join('\n')

const nameOf = ({
  dataset,
  exchange,
  symbol,
  interval,
  timestamp,
  period,
}: PlannedFileIdentity): PlannedFileIdentity => ({
  dataset,
  exchange,
  symbol,
  interval,
  timestamp,
  period,
})

function stateOf({ state, outcome, error }: Download): FileState {
  if (state !== 'done') return error?.code === 'forbidden' ? 'locked' : 'failed'
  if (outcome === 'absent' || outcome === 'copied') return outcome
  return outcome === 'downloaded' || outcome === 'changed upstream' ? 'downloaded' : 'cached'
}
