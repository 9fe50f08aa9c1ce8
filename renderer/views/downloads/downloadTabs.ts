import { symbolColumn, type TableColumn } from '#shared/sheet/columns.ts'
import { type Download, type DownloadState, isEndedSortKey } from '#shared/contract/areas/downloads.ts'
import { downloadColumns } from '#shared/sheet/downloads.ts'
import { column, type ReadColumn } from '#shared/sheet/sheet.ts'
import { downloadsText } from '../../text/downloads.ts'

/** Columns of a download in the window, by their keys. */
export const columnsByKey = {
  ...downloadColumns,
  symbol: { ...symbolColumn, value: downloadColumns.symbol.value },
  reason: column('reason', 'Reason', 'text', reasonOf, { widthPx: 420 }),
} satisfies Record<string, ReadColumn<Download>>

const fileKeys = ['dataset', 'exchange', 'symbol', 'interval', 'timestamp', 'period'] as const

/** Columns of a tab; those by which the core can sort ended downloads are sortable. */
const tabColumns = (isEnded: boolean, keys: readonly (keyof typeof columnsByKey)[]): readonly TableColumn[] =>
  [...fileKeys, ...keys].map((key) => ({ ...columnsByKey[key], sortable: isEnded && isEndedSortKey(key) }))

/**
 * Columns of each tab. The queue cannot be sorted, because it is shown in the order in which the downloads will run.
 */
export const columnsOfTabs: Record<TabName, readonly TableColumn[]> = {
  queue: tabColumns(false, ['state', 'doneBytes', 'priority', 'reason']),
  history: tabColumns(true, ['state', 'totalBytes', 'outcome', 'endedAt']),
  failed: tabColumns(true, ['reason', 'attempts', 'endedAt']),
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

/** Describes in one line why a download waits or failed. */
function reasonOf({ error, state, notBefore }: Download): string | null {
  const retryText = state === 'waiting' && notBefore ? downloadsText.table.again(notBefore) : null
  return [error?.sentence, error?.detail, retryText].filter(Boolean).join(' ') || null
}
