import { markRaw } from 'vue'
import { cellOf, columnOf, type Frame } from '#shared/contract/frame.ts'
import { type Arrangement } from '#shared/tables/arrangement.ts'
import { createVersion, type ArrangedRows, type RowId, type RowSource } from './rows.ts'

export interface PageRequest {
  from: number
  /** Exclusive end of the page. */
  to: number
  arrangement: Arrangement
  /**
   * Ids of rows to fetch again, in this order and wherever they are now; if omitted, the rows from `from` to `to` are
   * fetched.
   */
  ids?: readonly RowId[]
}

export interface Page {
  frame: Frame
  /** Number of rows after filtering, as far as known. */
  count: number
  /** Number of rows without any filter; equals `count` if omitted. */
  total?: number
}

interface PagedOptions {
  pageRows?: number
  /** Maximum number of pages in memory; the least recently used are dropped first. */
  mostPages?: number
  /** Column that identifies rows; without it, rows are identified by position, which works only if they never move. */
  idKey?: string
}

export interface PagedRows extends RowSource {
  /** Fetches the rows in view again, and shows the loaded ones meanwhile. */
  refresh(): void
  /** Fetches the rows in view again by their ids, so that they do not move even if the order has changed. */
  refreshInPlace(): void
}

interface LoadedPage extends Page {
  /**
   * Number of refreshes before the page was requested; a page older than the last refresh is shown but fetched again.
   */
  edition: number
}

interface PendingPage {
  completion: Promise<void>
  controller: AbortController
  /** Number of loads that wait for the page; when none is left, the request is aborted. */
  waiting: number
}

type FetchPage = (request: PageRequest, signal: AbortSignal) => Promise<Page>

/** Creates a source that fetches rows page by page as they come into view. */
export function pagedRows(fetchPage: FetchPage, options: PagedOptions = {}): PagedRows {
  const { pageRows = 500, idKey } = options
  const version = createVersion()
  let edition = 0
  /** Edition of the last refresh after which rows may be in other places. */
  let orderEdition = 0

  return markRaw({
    idScope: idKey === undefined ? 'arrangement' : 'table',
    async arrange(arrangement, signal) {
      const requestEdition = edition
      const firstPage = await fetchPage({ from: 0, to: pageRows, arrangement }, signal)
      signal.throwIfAborted()
      const fetchOf = (request: Omit<PageRequest, 'arrangement'>, pageSignal: AbortSignal) =>
        fetchPage({ ...request, arrangement }, pageSignal)
      return arrangedPages({ ...firstPage, edition: requestEdition }, fetchOf, {
        version,
        edition: () => edition,
        orderEdition: () => orderEdition,
        options,
      })
    },
    refresh() {
      edition += 1
      orderEdition = edition
      version.bump()
    },
    refreshInPlace() {
      edition += 1
      version.bump()
    },
  })
}

interface SharedState {
  version: ReturnType<typeof createVersion>
  /** Returns the current edition; pages of older ones are outdated. */
  edition: () => number
  /** Returns the edition since which rows have kept their places; pages of older editions may contain other rows. */
  orderEdition: () => number
  options: PagedOptions
}

/** Creates rows that load the pages of one arrangement; pages requested together appear together, with their count. */
function arrangedPages(
  firstPage: LoadedPage,
  fetchPage: (request: Omit<PageRequest, 'arrangement'>, signal: AbortSignal) => Promise<Page>,
  { version, edition, orderEdition, options: { pageRows = 500, mostPages = 40, idKey } }: SharedState,
): ArrangedRows {
  const pages = new Map<number, LoadedPage>([[0, firstPage]])
  /** Loaded pages that are not shown yet, because others of the same load are still loading. */
  const replacements = new Map<number, LoadedPage>()
  const pendingPages = new Map<number, PendingPage>()
  let { count, total = count, edition: newestEdition } = firstPage

  /** Shows the loaded pages, except those of an older edition, and their count; drops the least recently used pages. */
  function publish(): void {
    if (replacements.size === 0) return
    for (const [index, page] of replacements) {
      if (page.edition < newestEdition) continue
      newestEdition = page.edition
      pages.delete(index)
      pages.set(index, page)
      count = page.count
      total = page.total ?? page.count
    }
    replacements.clear()
    for (const leastRecentlyUsed of pages.keys()) {
      if (pages.size <= mostPages) break
      pages.delete(leastRecentlyUsed)
    }
    version.bump()
  }

  function startPage(index: number): PendingPage {
    const controller = new AbortController()
    const requestEdition = edition()
    const loadedPage = idKey === undefined ? undefined : pages.get(index)
    // A page from before the last change of order is not fetched by the ids of its rows, because other rows may now
    // be in its place.
    const pageBefore = loadedPage && loadedPage.edition >= orderEdition() ? loadedPage : undefined
    const ids = pageBefore && idsOf(pageBefore)
    const request = { from: index * pageRows, to: (index + 1) * pageRows, ...(ids && { ids }) }
    const completion = fetchPage(request, controller.signal)
      .then((page) => {
        if (controller.signal.aborted) return
        // A page that was fetched by ids has no valid counts, so the present ones stay.
        replacements.set(index, { ...page, ...(pageBefore && { count, total }), edition: requestEdition })
      })
      .finally(() => pendingPages.get(index) === pending && pendingPages.delete(index))
    const pending = { completion, controller, waiting: 0 }
    pendingPages.set(index, pending)
    return pending
  }

  const idsOf = ({ frame }: LoadedPage): RowId[] => {
    const column = columnOf(frame, idKey!)!
    return Array.from({ length: frame.rows }, (_, row) => cellOf(column, row)!)
  }

  /** Tells whether a page of the current edition is loaded, and marks it as recently used. */
  function isLoaded(index: number): boolean {
    const page = pages.get(index)
    if (page) {
      pages.delete(index)
      pages.set(index, page)
    }
    return page?.edition === edition() || replacements.get(index)?.edition === edition()
  }

  async function loadPage(index: number, signal: AbortSignal): Promise<void> {
    if (isLoaded(index)) return
    const pending = pendingPages.get(index) ?? startPage(index)
    pending.waiting += 1
    const leave = () => {
      pending.waiting -= 1
      if (pending.waiting > 0) return
      pending.controller.abort()
      if (pendingPages.get(index) === pending) pendingPages.delete(index)
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      await pending.completion
      signal.throwIfAborted()
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  async function load(from: number, to: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const pageLoads: Promise<void>[] = []
    for (let index = Math.floor(from / pageRows); index * pageRows < Math.min(to, count); index += 1) {
      pageLoads.push(loadPage(index, signal))
    }
    const outcomes = await Promise.allSettled(pageLoads)
    signal.throwIfAborted()
    publish()
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  function cell(row: number, key: string) {
    const page = pages.get(Math.floor(row / pageRows))
    if (!page || row % pageRows >= page.frame.rows) return undefined
    const column = columnOf(page.frame, key)
    return column ? cellOf(column, row % pageRows) : null
  }

  return markRaw({
    get count() {
      return count
    },
    get total() {
      return total
    },
    get version() {
      return version.value
    },
    cell,
    idOf: (row): RowId | undefined => (idKey === undefined ? row : (cell(row, idKey) ?? undefined)),
    load,
    subscribe: version.subscribe,
  })
}
