import { setTimeout as sleep } from 'node:timers/promises'
import type { DownloadProgress } from '#shared/contract/areas/downloads.ts'
import type { CallOutput } from '#shared/contract/calls.ts'
import type { Client } from '#shared/contract/client.ts'
import { sentencesOf } from '../failure.ts'
import type { Output } from '../print.ts'
import { formatBytes } from '../sizes.ts'
import type { FetchReport, Reason } from './fetchReport.ts'
import { createPatience } from './patience.ts'

type Results = CallOutput<'downloads.results'>

const LOOK_EVERY_MS = 100
const PAGE = 1000

/** Reports the batch's files as they end, whichever process fetches them. @returns whether the person interrupted */
export async function followBatch(
  core: Client,
  batchId: number,
  connectionId: string,
  report: FetchReport,
  out: Output,
  signal: AbortSignal,
): Promise<boolean> {
  let after: { endedAt: number; id: number } | null = null
  const isStuck = createPatience(() => performance.now())
  for (let isGivenUp = false; ;) {
    const { downloads, files }: Results = await core.call('downloads.results', { batchId, after, limit: PAGE })
    for (const download of downloads) {
      report.ended(download)
      after = { endedAt: download.endedAt ?? 0, id: download.id }
    }
    if (report.seen() >= files) return signal.aborted
    if (downloads.length === PAGE) continue
    const progress = await core.call('downloads.progress', {})
    const bytes = progress.running.reduce((sum, { doneBytes }) => sum + doneBytes, 0)
    const isTooLong = isStuck(`${report.seen()} ${bytes}`, isPatient(progress))
    out.progress({ done: report.seen(), total: files, message: wordsOf(report.seen(), files, progress) })
    if (!isGivenUp && (signal.aborted || isTooLong || isHeld(progress, connectionId))) {
      isGivenUp = true
      report.giveUp(signal.aborted ? null : reasonOf(progress))
      await core.call('downloads.cancel', { which: { filter: { batchId } } })
      continue
    }
    await sleep(LOOK_EVERY_MS)
  }
}

/** Nothing goes on until the person does something. */
const isHeld = ({ holds }: DownloadProgress, connectionId: string) =>
  holds.some((hold) => hold.until === null && (hold.connectionId === '' || hold.connectionId === connectionId))

/** The service said when to come back. */
const isPatient = ({ holds }: DownloadProgress) => holds.some(({ code }) => code === 'rate-limited')

function reasonOf({ holds: [first] }: DownloadProgress): Reason {
  if (first) return { short: first.sentence, message: sentencesOf(first) }
  return {
    short: 'Nothing came for a while.',
    message: 'Nothing came for a while. Try again, or see “perpscope queue list”.',
  }
}

function wordsOf(done: number, files: number, { bytesPerSecond, holds }: DownloadProgress): string {
  const waiting = holds.length > 0 ? `, waiting: ${holds[0].sentence}` : ''
  return `${done} of ${files} files, ${formatBytes(bytesPerSecond)}/s${waiting}`
}
