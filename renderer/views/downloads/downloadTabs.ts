import { isEndedSortKey, type DownloadState } from '#shared/contract/areas/downloads.ts'
import { symbolColumn, type TableColumn, type Tone } from '../../tables/columns.ts'
import type { Cell } from '../../tables/rows.ts'
import { downloadsText } from '../../text/downloads.ts'

const { columns: titles } = downloadsText

const toneByState: Record<string, Tone> = {
  running: 'accent',
  waiting: 'warning',
  paused: 'warning',
  done: 'positive',
  failed: 'negative',
}
const stateTone = (state: Cell): Tone => toneByState[String(state)] ?? 'neutral'

const unsortable = { sortable: false } as const

const fileColumns: readonly TableColumn[] = [
  { ...unsortable, key: 'dataset', title: titles.dataset, kind: 'text', widthPx: 116 },
  { ...unsortable, key: 'exchange', title: titles.venue, kind: 'text', widthPx: 120 },
  { ...symbolColumn, ...unsortable },
  { ...unsortable, key: 'interval', title: titles.interval, kind: 'text', widthPx: 66 },
  { ...unsortable, key: 'timestamp', title: titles.clock, kind: 'text', widthPx: 78, hint: titles.clockHint },
  {
    ...unsortable,
    key: 'period',
    title: titles.period,
    kind: 'text',
    widthPx: 100,
    hint: titles.periodHint,
  },
]
const stateColumn: TableColumn = {
  ...unsortable,
  key: 'state',
  title: titles.state,
  kind: 'text',
  widthPx: 84,
  look: 'badge',
  tone: stateTone,
}
const reasonColumn: TableColumn = { ...unsortable, key: 'reason', title: titles.reason, kind: 'text', widthPx: 420 }
const sizeColumn: TableColumn = { ...unsortable, key: 'totalBytes', title: titles.size, kind: 'bytes', widthPx: 84 }
const endedColumn: TableColumn = { ...unsortable, key: 'endedAt', title: titles.ended, kind: 'time' }

/** Marks as sortable the columns by which the core can sort ended downloads. */
const withSorting = (columns: readonly TableColumn[]): readonly TableColumn[] =>
  columns.map((column) => (isEndedSortKey(column.key) ? { ...column, sortable: true } : column))

/**
 * Columns of each tab. The queue cannot be sorted, because it is shown in the order in which the downloads will run.
 */
export const downloadColumns: Record<TabName, readonly TableColumn[]> = {
  queue: [
    ...fileColumns,
    stateColumn,
    { ...unsortable, key: 'doneBytes', title: titles.progress, kind: 'bytes', widthPx: 170 },
    {
      ...unsortable,
      key: 'priority',
      title: titles.priority,
      kind: 'count',
      widthPx: 84,
      hint: titles.priorityHint,
    },
    reasonColumn,
  ],
  history: withSorting([
    ...fileColumns,
    stateColumn,
    sizeColumn,
    { ...reasonColumn, key: 'outcome', title: titles.outcome, widthPx: 180 },
    endedColumn,
  ]),
  failed: withSorting([
    ...fileColumns,
    reasonColumn,
    { ...unsortable, key: 'attempts', title: titles.attempts, kind: 'count', widthPx: 74 },
    endedColumn,
  ]),
}

export type TabName = 'queue' | 'history' | 'failed'

export interface Tab {
  name: TabName
  title: string
  address: string
  states: readonly DownloadState[]
}

export const tabs: readonly Tab[] = [
  {
    name: 'queue',
    title: downloadsText.tabs.queue,
    address: '/downloads',
    states: ['queued', 'running', 'waiting', 'paused'],
  },
  { name: 'history', title: downloadsText.tabs.history, address: '/downloads/history', states: ['done', 'cancelled'] },
  { name: 'failed', title: downloadsText.tabs.failed, address: '/downloads/failed', states: ['failed'] },
]
