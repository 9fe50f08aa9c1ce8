import type { Enqueued } from '#shared/contract/areas/downloads.ts'
import { formatNumber } from '#shared/units/numbers.ts'

/** Builds the toast about files that were added to the queue. */
export function enqueuedWords({ files, added }: Enqueued): { message: string; detail: string | null } {
  const waiting = files - added
  return {
    message: `${formatNumber(added, 0)} ${added === 1 ? 'file' : 'files'} put into the queue`,
    detail: waiting > 0 ? `${formatNumber(waiting, 0)} were in it already.` : null,
  }
}
