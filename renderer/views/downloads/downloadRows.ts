import { markRaw } from 'vue'
import {
  isEndedSortKey,
  type Download,
  type DownloadState,
  type EndedSortKey,
} from '#shared/contract/areas/downloads.ts'
import type { CallOptions } from '#shared/contract/client.ts'
import type { Frame } from '#shared/contract/frame.ts'
import { table } from '#shared/sheet/sheet.ts'
import { pagedRows, type PagedRows } from '../../tables/pagedRows.ts'
import type { Condition, Filter } from '#shared/tables/arrangement.ts'
import { columnsByKey } from './downloadTabs.ts'

/** One request, or one reason for failure, to which the downloads are restricted. */
interface Restriction {
  batchId?: number
  errorCode?: string
}

interface ListRequest {
  filter: { states?: DownloadState[]; text?: string; ids?: number[] } & Restriction
  offset: number
  limit: number
  sort: { key: EndedSortKey; descending: boolean } | null
}

type ListDownloads = (request: ListRequest, options: CallOptions) => Promise<{ total: number; downloads: Download[] }>

interface DownloadRows {
  rows: PagedRows
  /** Returns a recently loaded download; undefined for any other. */
  find(id: number): Download | undefined
}

const PAGE_ROWS = 200
const MOST_REMEMBERED = 20_000

/** Returns the table condition for a download state. */
export const stateCondition = (state: DownloadState): Condition => ({ key: 'state', oneOf: [state] })

/**
 * Builds the request's filter from the table's; without a condition on the state, it includes all states of the tab.
 */
export function downloadFilter(
  { text, conditions }: Filter,
  states: readonly DownloadState[],
  restriction: Restriction = {},
) {
  const wantedStates = conditions.flatMap((each) => ('oneOf' in each && each.key === 'state' ? each.oneOf : []))
  return {
    states: states.filter((state) => wantedStates.length === 0 || wantedStates.includes(state)),
    text,
    ...restriction,
  }
}

/** Loads the downloads in these states page by page: all of them, or those of one request or reason. */
export function downloadRows(
  list: ListDownloads,
  states: readonly DownloadState[],
  restriction: Restriction = {},
): DownloadRows {
  const loadedById = new Map<number, Download>()
  function remember(downloads: readonly Download[]): void {
    for (const download of downloads) {
      // The entry is deleted and set again, so that the first key is always the one loaded longest ago.
      loadedById.delete(download.id)
      loadedById.set(download.id, download)
    }
    for (const oldestId of loadedById.keys()) {
      if (loadedById.size <= MOST_REMEMBERED) break
      loadedById.delete(oldestId)
    }
  }

  /** Fetches downloads in the order of the ids; one that has left the history is returned as last loaded. */
  async function fetchByIds(ids: readonly number[], signal: AbortSignal) {
    const request = { filter: { ids: [...ids] }, offset: 0, limit: PAGE_ROWS, sort: null }
    remember((await list(request, { signal })).downloads)
    const downloads = ids.flatMap((id) => loadedById.get(id) ?? [])
    return { frame: downloadFrame(downloads), count: downloads.length }
  }

  const rows = pagedRows(
    async ({ from, to, arrangement, ids }, signal) => {
      if (ids) return fetchByIds(ids.map(Number), signal)
      const filter = downloadFilter(arrangement, states, restriction)
      const [firstKey] = arrangement.sort
      const sort =
        firstKey && isEndedSortKey(firstKey.key) ? { key: firstKey.key, descending: firstKey.descending } : null
      const { total, downloads } = await list({ filter, offset: from, limit: to - from, sort }, { signal })
      remember(downloads)
      return { frame: downloadFrame(downloads), count: total }
    },
    { pageRows: PAGE_ROWS, idKey: 'id' },
  )
  return markRaw({ rows, find: (id) => loadedById.get(id) })
}

export const downloadFrame = (downloads: readonly Download[]): Frame =>
  table({ id: 'downloads', title: '' }, Object.values(columnsByKey), downloads).frame
