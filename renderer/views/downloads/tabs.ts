import type { DownloadState } from '#shared/contract/areas/downloads.ts'

export type TabName = 'queue' | 'history' | 'failed'

export interface Tab {
  name: TabName
  title: string
  address: string
  states: readonly DownloadState[]
}

export const tabs: readonly Tab[] = [
  { name: 'queue', title: 'Queue', address: '/downloads', states: ['queued', 'running', 'waiting', 'paused'] },
  { name: 'history', title: 'History', address: '/downloads/history', states: ['done', 'cancelled'] },
  { name: 'failed', title: 'Failed', address: '/downloads/failed', states: ['failed'] },
]
