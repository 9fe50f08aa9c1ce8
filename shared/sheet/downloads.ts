import type { Download } from '#shared/contract/areas/downloads.ts'
import type { Cell, Tone } from './columns.ts'
import { seriesColumns } from './seriesColumns.ts'
import { column, type ReadColumn } from './sheet.ts'

const toneByState: Record<string, Tone> = {
  running: 'accent',
  waiting: 'warning',
  paused: 'warning',
  done: 'positive',
  failed: 'negative',
}
const stateTone = (state: Cell): Tone => toneByState[String(state)] ?? 'neutral'

/** Columns of a download; each face chooses those that it shows. */
export const downloadColumns = {
  id: column('id', 'Id', 'count', ({ id }) => id, { format: String }),
  ...seriesColumns,
  state: column('state', 'State', 'text', ({ state }) => state, { widthPx: 84, look: 'badge', tone: stateTone }),
  doneBytes: column('doneBytes', 'Progress', 'bytes', ({ doneBytes }) => doneBytes, { widthPx: 170 }),
  totalBytes: column('totalBytes', 'Size', 'bytes', ({ totalBytes }) => totalBytes, { widthPx: 84 }),
  priority: column('priority', 'Priority', 'count', ({ priority }) => priority, {
    widthPx: 84,
    hint: 'Higher priorities run first; drag the handle to change the order',
  }),
  attempts: column('attempts', 'Attempts', 'count', ({ attempts }) => attempts, { widthPx: 74 }),
  outcome: column('outcome', 'Outcome', 'text', ({ outcome }) => outcome, { widthPx: 180 }),
  // The times are truncated to seconds, because milliseconds only make the column hard to read.
  endedAt: column('endedAt', 'Ended', 'time', ({ endedAt }) => endedAt && Math.floor(endedAt / 1000) * 1000),
} satisfies Record<string, ReadColumn<Download>>
